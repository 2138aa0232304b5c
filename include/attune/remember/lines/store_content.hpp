// attune/remember/lines/store_content.hpp - the whole content of a store's file: listed, followed, compacted.
// SPDX-License-Identifier: MIT
//
// For tools. attune::store answers the questions of a tuning, skips unreadable lines and never
// waits. store_content lists all lines and refuses a file that is no store.
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors  attune::error: a newer release wrote it, or it is no store
/// @param name  origin of the lines
void require_store(record_table const& table, std::string const& name);

class store_content {
public:
    /// Reads the file once and does not see later text.
    /// Errors  attune::error: there is no such file, it cannot be read, it is no store, a newer
    ///         release wrote it
    [[nodiscard]] static store_content of_file(std::string const& path);
    /// @param name  origin of the text, for errors
    [[nodiscard]] static store_content of_text(std::string text, std::string const& name);

    store_content(store_content&&) noexcept;
    store_content& operator=(store_content&&) noexcept;
    ~store_content();

    /// Problems that have outcomes or winners, in the order of their last lines.
    /// @param most         largest number, the latest ones
    /// @param with_called  also problems that have calls alone
    [[nodiscard]] std::vector<listed_problem>
    problems(std::size_t most = std::numeric_limits<std::size_t>::max(), bool with_called = false);
    /// The outcomes of a listed problem.
    [[nodiscard]] problem_history history(listed_problem const& of);

    [[nodiscard]] lookup_result find(record_key const& key);
    [[nodiscard]] std::vector<related_problem> related(stored_problem const& wanted,
                                                       std::size_t most);
    [[nodiscard]] std::vector<proven_shape> proofs(stored_problem const& wanted,
                                                   std::string const& code);

    /// "a.attune:7: this and 2 more damaged lines are skipped (why)"; empty if none is damaged.
    [[nodiscard]] std::string const& damage() const noexcept;
    /// The reason why another user could have written the file; empty if none could.
    [[nodiscard]] std::string const& by_others() const noexcept;
    [[nodiscard]] std::string const& text() const noexcept;

private:
    struct state;
    explicit store_content(std::unique_ptr<state> made) noexcept;
    std::unique_ptr<state> state_;
};

/// The file of a store to which others write, read repeatedly.
class followed_store {
public:
    explicit followed_store(std::string path);
    followed_store(followed_store&&) noexcept;
    followed_store& operator=(followed_store&&) noexcept;
    ~followed_store();

    enum class state { absent, same, changed };

    /// Reads the text appended since the last call; does not wait.
    /// Errors  attune::error: the file cannot be read, is no store, or of a newer release
    [[nodiscard]] state refresh();

    /// The same as store_content::problems().
    [[nodiscard]] std::vector<listed_problem> problems(std::size_t most);
    [[nodiscard]] problem_history history(listed_problem const& of);

private:
    struct reading;
    std::unique_ptr<reading> reading_;
};

/// Leaves out lines that record_table no longer reads: equal proofs but the latest, superseded
/// winners, and lines that introduce a problem but its first and its last one. Makes one line of
/// the calls of a problem. Keeps all other lines in their order, also damaged ones and those of a
/// later release.
///
/// store::find(), recall(), related() and proofs() give the same answers as before. A text stays
/// unchanged if it is no store, or has a line without checksum: of format 1, or edited by a person.
/// Cost  2 ns a byte
[[nodiscard]] std::string compacted(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/store_content.ipp>
#endif
