// attune/core/posix/range_lock.hpp - locks bytes of a file, across processes and objects.
// SPDX-License-Identifier: MIT
// Source   man page of fcntl(2): open file description locks
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Owner of the lock file.
enum class lock_file : std::uint8_t {
    of_anyone,   ///< created as the umask says; may be another user's file
    of_this_user ///< created for this user alone; another user's file is refused
};

enum class lock_state : std::uint8_t {
    mine,
    busy,       ///< another process held it until the wait ended
    unavailable ///< there is no such file, or its file system has no locks
};

/// Consecutive bytes.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// A lock of some bytes of a file; the bytes need not exist. The kernel releases it if its holder
/// dies. A forked child does not hold it. Movable.
class range_lock {
public:
    range_lock() = default;
    range_lock(range_lock&&) noexcept = default;
    range_lock& operator=(range_lock&& other) noexcept
    {
        release();
        file_ = std::move(other.file_);
        state_ = other.state_;
        why_ = std::move(other.why_);
        ranges_ = std::move(other.ranges_);
        process_ = other.process_;
        return *this;
    }
    ~range_lock() { release(); }

    /// Creates the file if it is missing.
    /// @param places  positions of the bytes, each below 2^62, in any order
    /// @param wait_s  longest wait; negative counts as 0. stop_is_requested() ends the wait
    [[nodiscard]] static range_lock take(std::string const& path, std::vector<std::uint64_t> places,
                                         double wait_s, lock_file whose = lock_file::of_anyone);

    [[nodiscard]] lock_state state() const noexcept { return state_; }
    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    void release() noexcept;

private:
    descriptor file_{};
    lock_state state_ = lock_state::unavailable;
    std::string why_{};
    std::vector<byte_range> ranges_{};
    int process_ = 0; ///< the process that took the lock
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/range_lock.ipp>
#endif
