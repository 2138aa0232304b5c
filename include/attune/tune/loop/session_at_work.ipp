// attune/tune/loop/session_at_work.ipp - a count that is zero in the child of a fork.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/session_at_work.hpp>

#include <atomic>
#include <cstdint>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The upper 32 bits are a process id, the lower 32 bits the number of its sessions.
inline std::atomic<std::uint64_t> sessions_at_work{0};

[[nodiscard]] inline bool is_count_of(std::uint64_t seen, std::uint32_t process) noexcept
{
    return seen >> 32 == process;
}

ATTUNE_INLINE session_at_work::session_at_work() noexcept
    : process_(static_cast<std::uint32_t>(::getpid()))
{
    std::uint64_t const none = std::uint64_t{process_} << 32;
    std::uint64_t seen = sessions_at_work;
    while (!sessions_at_work.compare_exchange_weak(
        seen, (is_count_of(seen, process_) ? seen : none) + 1)) {
    }
}

ATTUNE_INLINE session_at_work::~session_at_work()
{
    // In the child of a fork the sessions of its parent do not count.
    if (process_ == static_cast<std::uint32_t>(::getpid())) --sessions_at_work;
}

ATTUNE_INLINE std::uint32_t session_at_work::count() noexcept
{
    std::uint64_t const seen = sessions_at_work;
    return is_count_of(seen, static_cast<std::uint32_t>(::getpid()))
               ? static_cast<std::uint32_t>(seen)
               : 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
