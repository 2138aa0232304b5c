// attune/measure/cpu/core_turn.ipp - two bytes of one file for each processor of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/core_turn.hpp>

#include <cstdio>
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

ATTUNE_INLINE std::string file_of_turns()
{
    std::string const named = environment_variable("ATTUNE_TURNS");
    if (named == "off") return {};
    return named.empty() ? P_tmpdir "/attune-cores" : named;
}

/// Where the bytes begin that the next one has who waits for the processors. Without them, who has
/// just had a turn takes the next one too, because the others sleep between two attempts.
inline constexpr std::uint64_t first_to_wait = std::uint64_t{1} << 20;

ATTUNE_INLINE
core_turn::core_turn(std::vector<std::uint64_t> cores, double wait_s, std::string const& file)
{
    if (file.empty()) return;
    double const begun_s = steady_seconds();
    std::vector<std::uint64_t> places = cores;
    for (std::uint64_t& place : places)
        place += first_to_wait;
    range_lock next = range_lock::take(file, std::move(places), wait_s);
    double const left_s = wait_s - (steady_seconds() - begun_s);
    lock_ = next.state() == lock_state::mine ? range_lock::take(file, std::move(cores), left_s)
                                             : std::move(next);
    waited_s_ = steady_seconds() - begun_s;
}

ATTUNE_INLINE std::string core_turn::notice() const
{
    if (lock_.state() != lock_state::busy) return {};
    return "another tuning timed on the same processors and was not done after " +
           seconds_text(waited_s_) + ": the times of both may be disturbed";
}

} // namespace attune::inline ATTUNE_ABI::detail
