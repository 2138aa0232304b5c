// attune/measure/cpu/core_turn.ipp - a byte of one file for each processor of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/core_turn.hpp>

#include <sched.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::uint64_t> processors_of_this_thread()
{
    std::vector<std::uint64_t> out;
    ::cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &set)) out.push_back(i);
    return out;
}

ATTUNE_INLINE
core_turn::core_turn(std::vector<std::uint64_t> cores, double wait_s, std::string const& file)
    : waited_s_(steady_seconds())
{
    lock_ = range_lock::take(file, std::move(cores), wait_s);
    waited_s_ = steady_seconds() - waited_s_;
}

ATTUNE_INLINE std::string core_turn::notice() const
{
    if (lock_.state() != lock_state::busy) return {};
    return "another tuning timed on the same processors and was not done after " +
           seconds_text(waited_s_) + ": the times of both may be disturbed";
}

} // namespace attune::inline ATTUNE_ABI::detail
