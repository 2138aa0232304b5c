// attune/measure/timing_turns.ipp - waits for turns, for a bounded time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/timing_turns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <sched.h>
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

/// Each user has a file, because any process that may lock a byte can make the others wait.
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

/// First byte of devices; the hexadecimal digits of their bus ids follow.
inline constexpr std::uint64_t first_device = std::uint64_t{1} << 48;
/// First byte of the waiting objects: the next one for a place locks it. Without these bytes, the
/// last holder would also take the next turn, because the others sleep between two attempts.
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

/// True if this thread has a turn.
[[nodiscard]] inline bool& has_turn() noexcept
{
    static thread_local bool here = false;
    return here;
}

ATTUNE_INLINE timing_turns::timing_turns(double wait_s, std::string file)
    : file_(std::move(file))
    , wait_s_(std::clamp(wait_s, 0.0, longest_wait_s))
{
}

ATTUNE_INLINE void timing_turns::use_device(std::string const& bus)
{
    if (std::optional<std::uint64_t> const place = place_of_device(bus))
        places_ = {*place};
    else
        file_.clear();
}

ATTUNE_INLINE void timing_turns::use_machine()
{
    places_.resize(static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L)));
    std::iota(places_.begin(), places_.end(), std::uint64_t{0});
}

ATTUNE_INLINE place_turn timing_turns::next()
{
    place_turn out{places_.empty() ? processors_of_this_thread() : places_,
                   was_late_ ? 0.0 : wait_s_, file_};
    if (out.is_late() && !was_late_) notice_ = out.notice();
    was_late_ = out.is_late();
    return out;
}

ATTUNE_INLINE std::vector<std::string> timing_turns::notices() const
{
    return notice_.empty() ? std::vector<std::string>{} : std::vector{notice_};
}

ATTUNE_INLINE timing_turns::turn::turn(timing_turns& of)
    : of_(of)
    , is_within_(std::exchange(has_turn(), true))
{
    if (is_within_) return;
    lock_.emplace(of_.next());
    since_s_ = steady_seconds();
}

ATTUNE_INLINE timing_turns::turn::~turn() { has_turn() = is_within_; }

ATTUNE_INLINE void timing_turns::turn::apart(std::function<void()> const& f)
{
    if (!lock_) return f();
    lock_.reset();
    has_turn() = false;
    f();
    has_turn() = true;
    lock_.emplace(of_.next());
    since_s_ = steady_seconds();
}

ATTUNE_INLINE void timing_turns::turn::prepare()
{
    if (!lock_ || steady_seconds() - since_s_ < longest_turn_s) return;
    lock_.reset();
    lock_.emplace(of_.next());
    since_s_ = steady_seconds();
}

} // namespace attune::inline ATTUNE_ABI::detail
