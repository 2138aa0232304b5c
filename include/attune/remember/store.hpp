// attune/remember/store.hpp - remembers tuning results in a file that many processes share.
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
/// - The file is only ever appended to, one line by one write under a lock, so that many processes
///   can share it. A process that is killed while it writes leaves at worst one damaged line.
/// - A damaged line is skipped and stays in the file. All of them are told in one notice:
///   "path:line: this and 2 more damaged records skipped (why)".
/// - A file in a newer format, or one that is no store at all, is never written to. With the former
///   nothing is found or kept; with the latter, and with a file that cannot be written, records are
///   kept in memory until the process ends, and every add() tries the file again.
/// - A missing file or directory is made by the first add().
class store {
public:
    /// Touches no file yet. A relative `path` is relative to the directory that is current now.
    explicit store(std::string path);
    store(store&&) noexcept;
    store& operator=(store&&) noexcept;
    ~store();

    /// The record that fits best. Reads the file when it changed since the last look.
    /// Errors  none thrown for the state of the file; see notices()
    [[nodiscard]] lookup_result find(record_key const& key);

    /// Appends one record. It is written when this returns, but not forced through the disk's
    /// cache: a power failure may lose it.
    /// Errors  as find()
    void add(record const& entry);

    /// What went wrong since last asked, one sentence each, the same sentence never twice.
    [[nodiscard]] std::vector<std::string> notices();

    /// The path as it was given.
    [[nodiscard]] std::string const& path() const noexcept;

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/store.ipp>
#endif
