// attune/remember/lines/store_content.hpp - what the file of a store holds, to be looked at as a whole.
// SPDX-License-Identifier: MIT
//
// For people's tools: attune::store answers what a tuning asks, skips what it cannot read and never
// waits; this one lists everything and refuses a file that is no store.
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Errors  attune::error: a newer release wrote it, or it is no store
/// @param name  of where the lines are from
void require_store(record_table const& table, std::string const& name);

class store_content {
public:
    /// Reads the file once; what is appended later is not seen.
    /// Errors  attune::error: there is no such file, it cannot be read, it is no store, a newer
    ///         release wrote it
    [[nodiscard]] static store_content of_file(std::string const& path);
    /// @param name  of where the text is from, for errors
    [[nodiscard]] static store_content of_text(std::string text, std::string const& name);

    store_content(store_content&&) noexcept;
    store_content& operator=(store_content&&) noexcept;
    ~store_content();

    /// Problems that have outcomes or winners, in the order of their last lines.
    /// @param most  only so many, the latest
    [[nodiscard]] std::vector<listed_problem>
    problems(std::size_t most = std::numeric_limits<std::size_t>::max());
    /// The outcomes of one of them.
    [[nodiscard]] problem_history history(listed_problem const& of);

    [[nodiscard]] lookup_result find(record_key const& key);
    [[nodiscard]] std::vector<related_problem> related(stored_problem const& wanted,
                                                       std::size_t most);
    [[nodiscard]] std::vector<proven_shape> proofs(stored_problem const& wanted,
                                                   std::string const& code);

    /// "a.attune:7: this and 2 more damaged lines are skipped (why)"; empty: none is damaged.
    [[nodiscard]] std::string const& damage() const noexcept;
    /// Why another user could have written the file that was read; empty: none could.
    [[nodiscard]] std::string const& by_others() const noexcept;
    [[nodiscard]] std::string const& text() const noexcept;

private:
    struct state;
    explicit store_content(std::unique_ptr<state> made) noexcept;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/store_content.ipp>
#endif
