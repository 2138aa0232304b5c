// attune/measure/turns/place_turn.ipp - two bytes of one file for each processor and each device of the machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/turns/place_turn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sched.h>
#include <string>
#include <unistd.h>
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

/// One for each user: whoever may lock a byte can keep the others waiting.
[[nodiscard]] inline std::string usual_file_of_turns()
{
    return P_tmpdir "/attune-cores-" + std::to_string(::geteuid());
}

ATTUNE_INLINE std::string file_of_turns()
{
    std::string const named = environment_variable("ATTUNE_TURNS");
    if (named == "off") return {};
    return named.empty() ? usual_file_of_turns() : named;
}

/// Where the bytes of devices begin: the hexadecimal digits of their bus ids follow.
inline constexpr std::uint64_t first_device = std::uint64_t{1} << 48;
/// Where the bytes begin that the next one has who waits for a place. Without them, who has just
/// had a turn takes the next one too, because the others sleep between two attempts.
inline constexpr std::uint64_t first_to_wait = std::uint64_t{1} << 60;

ATTUNE_INLINE std::optional<std::uint64_t> place_of_device(std::string const& bus)
{
    unsigned domain = 0, number = 0, slot = 0, function = 0;
    int used = 0;
    if (std::sscanf(bus.c_str(), "%8x:%2x:%2x.%1x%n", &domain, &number, &slot, &function, &used) !=
            4 ||
        static_cast<std::size_t>(used) != bus.size())
        return std::nullopt;
    return first_device + (std::uint64_t{domain} << 20 | number << 12 | slot << 4 | function);
}

ATTUNE_INLINE
place_turn::place_turn(std::vector<std::uint64_t> places, double wait_s, std::string const& file)
    : is_of_device_(!places.empty() && places.front() >= first_device)
{
    if (file.empty()) return;
    double const begun_s = steady_seconds();
    std::vector<std::uint64_t> waiting = places;
    for (std::uint64_t& place : waiting)
        place += first_to_wait;
    lock_file const whose =
        file == usual_file_of_turns() ? lock_file::of_this_user : lock_file::of_anyone;
    range_lock next = range_lock::take(file, std::move(waiting), wait_s, whose);
    double const left_s = wait_s - (steady_seconds() - begun_s);
    lock_ = next.state() == lock_state::mine
                ? range_lock::take(file, std::move(places), left_s, whose)
                : std::move(next);
    waited_s_ = steady_seconds() - begun_s;
}

ATTUNE_INLINE std::string place_turn::notice() const
{
    if (lock_.state() != lock_state::busy) return {};
    return std::string("another tuning timed on the same ") +
           (is_of_device_ ? "device" : "processors") + " and was not done after " +
           seconds_text(waited_s_) + ": the times of both may be disturbed";
}

} // namespace attune::inline ATTUNE_ABI::detail
