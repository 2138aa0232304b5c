// attune/core/posix/range_lock.hpp - bytes of a file that one holder at a time has, across processes and objects.
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

/// Whose file it may be.
enum class lock_file : std::uint8_t {
    of_anyone,   ///< created as the umask says; another user's may be used
    of_this_user ///< created for this user alone; another user's is none
};

enum class lock_state : std::uint8_t {
    mine,
    busy,       ///< another process held it until the wait was over
    unavailable ///< there is no such file, or its file system has no locks
};

/// Bytes that lie side by side.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// A lock of some bytes of a file; the bytes need not exist. The kernel releases it when its holder
/// dies. A child that is forked meanwhile does not hold it. Movable.
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

    /// Creates the file where it is missing.
    /// @param places  of the bytes, each below 2^62, in any order
    /// @param wait_s  at most; negative counts as 0. Ends early where the program is asked to stop
    [[nodiscard]] static range_lock take(std::string const& path, std::vector<std::uint64_t> places,
                                         double wait_s, lock_file whose = lock_file::of_anyone);

    [[nodiscard]] lock_state state() const noexcept { return state_; }
    /// Why it is unavailable.
    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    void release() noexcept;

private:
    descriptor file_{};
    lock_state state_ = lock_state::unavailable;
    std::string why_{};
    std::vector<byte_range> ranges_{};
    int process_ = 0; ///< that took it
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/range_lock.ipp>
#endif
