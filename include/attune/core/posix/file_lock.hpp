// attune/core/posix/file_lock.hpp - the lock of a whole opened file, with a bounded wait.
// SPDX-License-Identifier: MIT
// Source   man page of flock(2)
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Waits for flock(2) for `wait_s` seconds at most: its holder may be a stopped process.
/// @param operation  LOCK_EX or LOCK_SH
/// @return  0, or why the file is not locked; EWOULDBLOCK: another holder has it
[[nodiscard]] int take_flock(int file, int operation, double wait_s) noexcept;

/// An exclusive lock of an opened file. The lock ends with this object: closing the file does not
/// end it where a child of fork() has the file open, too. The copy in such a child ends nothing.
class file_lock {
public:
    /// @param file    stays open while this object lives
    /// @param wait_s  at most
    file_lock(int file, double wait_s) noexcept;
    ~file_lock();
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;

    /// False where another holder has it, or the file system has no locks.
    [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

private:
    int file_;
    bool is_mine_;
    int process_; ///< that took it
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/file_lock.ipp>
#endif
