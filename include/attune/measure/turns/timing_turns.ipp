// attune/measure/turns/timing_turns.ipp - waits for turns, and how long it does.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/turns/timing_turns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether this thread has a turn.
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
