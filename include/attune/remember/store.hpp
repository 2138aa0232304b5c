// attune/remember/store.hpp - a store of tuning results in a file that processes share.
// SPDX-License-Identifier: MIT
// Bench    bench/remember/store.cpp
//
// A file of JSON lines, oldest first; README.md of this folder explains the format.
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

/// A record store in a file. Models `record_store`. Movable; many threads may use it at the same
/// time.
///
/// - The file only grows, by one write under a lock, so processes can share it. A process that is
///   killed during a write leaves at most one damaged line.
/// - A damaged line is skipped and stays in the file. A single notice reports all of them:
///   "path:line: this and 2 more damaged records skipped (why)".
/// - A file of a newer format is never written. The store finds nothing in it, and drops records.
/// - A file that is no store is never written. Records then stay in memory. Records also stay there
///   if a file cannot be written, or if another process keeps the lock for seconds. Every add(),
///   the destructor and exit() try the file again.
/// - If another user could have written the file, a record is `record_match::unverified`, and
///   nothing counts as verified or as tried: see README.md of this folder. A notice has the reason.
/// - The first add() creates a missing file or directory.
class store {
public:
    /// Opens no file yet. A relative `path` is resolved against the current directory now.
    explicit store(std::string path);
    store(store&&) noexcept;
    store& operator=(store&&) noexcept;
    ~store();

    /// The record that fits best; among records with the same key, the one that no other supersedes
    /// (see supersedes()). First reads text appended to the file since the last call.
    /// Errors  none for the state of the file; see notices()
    /// Cost    15 us at the first question about a problem
    [[nodiscard]] lookup_result find(record_key const& key);

    /// Appends a record. When add() returns, it is written but not flushed to the disk: a power
    /// failure may lose it.
    /// Errors   as find()
    /// Cost    100 us, for any length of the file
    void add(record const& entry);

    /// Sentences on problems since the last call; the same sentence is never given twice.
    [[nodiscard]] std::vector<std::string> notices();

    /// The path as given to the constructor.
    [[nodiscard]] std::string const& path() const noexcept;

    /// The whole store as text: memory_store::from_text() of it finds the same. A process of a job
    /// can read and broadcast it, so that all processes use the same winner. Leaves out a file that
    /// another user could have written.
    [[nodiscard]] std::string text();

    // Further functions for tune/: see detail::any_store.
    void note(detail::stored_problem const& problem, detail::tried_row const& row);
    void end(detail::stored_problem const& problem);
    void prove(detail::stored_problem const& problem, detail::proven_shape const& proof);
    [[nodiscard]] detail::problem_history recall(detail::stored_problem const& wanted);
    [[nodiscard]] std::vector<detail::related_problem> related(detail::stored_problem const& wanted,
                                                               std::size_t most);
    [[nodiscard]] std::vector<detail::proven_shape> proofs(detail::stored_problem const& wanted,
                                                           std::string const& code);
    [[nodiscard]] detail::problem_claim claim(record_key const& key, double wait_s);
    void count(std::vector<detail::problem_calls> const& all);

private:
    class implementation;
    std::shared_ptr<implementation> implementation_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/store.ipp>
#endif
#endif // ATTUNE_OFF
