// attune/remember/store.hpp - a store of tuning results in a file that processes share.
// SPDX-License-Identifier: MIT
//
// A file of JSON lines: {"attune_store":1}, then one record per line, oldest first
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A record store in a file. Models `record_store`. Movable; may be used by many threads at once.
///
/// - The file is only appended to, one line by one write under a lock, so processes can share it. A
///   process that is killed while it writes leaves at most one damaged line.
/// - A damaged line is skipped and stays in the file. One notice reports all of them:
///   "path:line: this and 2 more damaged records skipped (why)".
/// - A file of a newer format is never written to, and nothing is found or kept. A file that is no
///   store is not written to either; then, and when a file cannot be written, records are kept in
///   memory until the process ends, and every add() tries the file again.
/// - The first add() creates a missing file or directory.
class store {
public:
    /// Opens no file yet. A relative `path` is resolved against the current directory now.
    explicit store(std::string path);
    store(store&&) noexcept;
    store& operator=(store&&) noexcept;
    ~store();

    /// The record that fits best. Reads the file if it changed since the last call.
    /// Errors  none for the state of the file; see notices()
    [[nodiscard]] lookup_result find(record_key const& key);

    /// Appends one record. It is written when add() returns, but not flushed to the disk: a power
    /// failure may lose it. Errors  as find()
    void add(record const& entry);

    /// Sentences on problems since the last call; the same sentence is never given twice.
    [[nodiscard]] std::vector<std::string> notices();

    /// The path as given to the constructor.
    [[nodiscard]] std::string const& path() const noexcept;

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/store.ipp>
#endif
