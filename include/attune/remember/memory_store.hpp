// attune/remember/memory_store.hpp - a store of tuning results in memory.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A record store in memory: results are lost when the process ends. Models `record_store`.
/// Copyable; one thread at a time.
class memory_store {
public:
    memory_store();
    memory_store(memory_store const& other);
    memory_store(memory_store&&) noexcept;
    memory_store& operator=(memory_store other) noexcept;
    ~memory_store();

    /// A store with the contents of `text`, the text of a store's file of format 1 or 2. notices()
    /// reports unreadable lines.
    /// @param name  name of the text in notices, such as the file's
    /// Example  on rank 0 `std::string text = attune::store{"a"}.text();` and a broadcast, then on
    ///          every rank `attune::memory_store::from_text(text)`
    [[nodiscard]] static memory_store from_text(std::string const& text,
                                                std::string const& name = "a store given as text");

    [[nodiscard]] lookup_result find(record_key const& key);
    void add(record const& entry);

    /// Sentences on text that from_text() could not read, each once.
    [[nodiscard]] std::vector<std::string> notices();
    void notice(std::string sentence);

    /// All records, oldest first.
    /// Cost     10 us for each
    [[nodiscard]] std::vector<record> records() const;
    /// All contents, as the text of a store's file.
    [[nodiscard]] std::string text() const;

    // Further functions for tune/: see detail::any_store.
    void note(detail::stored_problem const& problem, detail::tried_row const& row);
    void end(detail::stored_problem const& problem);
    void prove(detail::stored_problem const& problem, detail::proven_shape const& proof);
    [[nodiscard]] detail::problem_history recall(detail::stored_problem const& wanted);
    [[nodiscard]] std::vector<detail::related_problem> related(detail::stored_problem const& wanted,
                                                               std::size_t most);
    [[nodiscard]] std::vector<detail::proven_shape> proofs(detail::stored_problem const& wanted,
                                                           std::string const& code);
    /// No other process uses this store.
    [[nodiscard]] detail::problem_claim claim(record_key const&, double) { return {}; }

protected:
    /// Later answers are those of a `store` whose file another user could have written.
    /// @param why  result of detail::other_writer_of()
    void disbelieve(std::string const& path, std::string const& why);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/memory_store.ipp>
#endif
#endif // ATTUNE_OFF
