// attune/core/posix/range_lock.ipp - OFD locks with a bounded wait.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/range_lock.hpp>
#include <attune/core/posix/steady_seconds.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37 // Linux 3.15
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// Returns 0, or the errno. EAGAIN: another process holds one of these bytes.
[[nodiscard]] inline int set_range(int file, short kind, byte_range const& bytes) noexcept
{
    struct ::flock range{};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<::off_t>(bytes.first);
    range.l_len = static_cast<::off_t>(bytes.count);
    while (::fcntl(file, F_OFD_SETLK, &range) != 0) {
        if (errno == EACCES) return EAGAIN;
        if (errno != EINTR) return errno;
    }
    return 0;
}

/// Locks all of them or none.
[[nodiscard]] inline int set_ranges(int file, std::vector<byte_range> const& all) noexcept
{
    for (std::size_t i = 0; i < all.size(); ++i)
        if (int const error = set_range(file, F_WRLCK, all[i]); error != 0) {
            while (i-- > 0)
                static_cast<void>(set_range(file, F_UNLCK, all[i]));
            return error;
        }
    return 0;
}

/// Sorts the bytes and joins neighbours. With one order for all, two waiters never hold half each.
[[nodiscard]] inline std::vector<byte_range> ranges_of(std::vector<std::uint64_t> places)
{
    std::sort(places.begin(), places.end());
    std::vector<byte_range> out;
    for (std::uint64_t const place : places)
        if (out.empty() || place > out.back().first + out.back().count)
            out.push_back({place, 1});
        else if (place == out.back().first + out.back().count)
            ++out.back().count;
    return out;
}

ATTUNE_INLINE range_lock range_lock::take(std::string const& path,
                                          std::vector<std::uint64_t> places, double wait_s,
                                          lock_file whose)
{
    range_lock out;
    int const flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    // In a folder like /tmp another user's file can be opened, but not with O_CREAT.
    out.file_ = descriptor(::open(path.c_str(), flags));
    if (!out.file_.is_open() && errno == ENOENT) {
        ::mode_t const mode = whose == lock_file::of_this_user ? 0600 : 0666;
        out.file_ = descriptor(::open(path.c_str(), flags | O_CREAT | O_EXCL, mode));
        if (!out.file_.is_open() && errno == EEXIST)
            out.file_ = descriptor(::open(path.c_str(), flags));
    }
    if (!out.file_.is_open()) {
        out.why_ = path + ": " + std::generic_category().message(errno);
        return out;
    }
    struct ::stat about{};
    if (whose == lock_file::of_this_user &&
        (::fstat(out.file_.get(), &about) != 0 || about.st_uid != ::geteuid())) {
        out.file_.close();
        out.why_ = path + ": it belongs to another user";
        return out;
    }
    std::vector<byte_range> wanted = ranges_of(std::move(places));
    double const until = steady_seconds() + wait_s;
    for (long pause_ns = 1'000'000;; pause_ns = std::min(2 * pause_ns, 50'000'000L)) {
        int const error = set_ranges(out.file_.get(), wanted);
        if (error == 0) {
            out.state_ = lock_state::mine;
            out.ranges_ = std::move(wanted);
            out.process_ = ::getpid();
            return out;
        }
        bool const is_busy = error == EAGAIN;
        double const left_s = until - steady_seconds();
        if (!is_busy || !(left_s > 0) || stop_is_requested()) {
            out.file_.close();
            out.state_ = is_busy ? lock_state::busy : lock_state::unavailable;
            if (!is_busy) out.why_ = path + ": " + std::generic_category().message(error);
            return out;
        }
        pause_at_end();
        std::timespec const pause{0, std::min(pause_ns, static_cast<long>(left_s * 1e9) + 1)};
        ::nanosleep(&pause, nullptr);
    }
}

ATTUNE_INLINE void range_lock::release() noexcept
{
    // A forked child still has the file open, which would keep the lock.
    if (file_.is_open() && process_ == ::getpid())
        for (byte_range const& bytes : ranges_)
            static_cast<void>(set_range(file_.get(), F_UNLCK, bytes));
    file_.close();
}

} // namespace attune::inline ATTUNE_ABI::detail
