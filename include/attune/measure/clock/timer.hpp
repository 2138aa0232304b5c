// attune/measure/clock/timer.hpp - what measuring a run has to offer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <concepts>
#include <functional>

namespace attune::inline ATTUNE_ABI {

/// A timer runs something as often as it sees fit and says how long one run takes, in seconds.
///
/// It promises (tests/laws/timer.hpp): `prepare` is called before every `run`, the warm-up runs
/// too, and never timed; `run` is called at least once; low <= value <= high, all finite and not
/// negative; samples >= 1; what `prepare` or `run` throws comes out as it is, and the timer can be
/// used again. A cold cache is made in `prepare`.
template <class T>
concept timer =
    requires(T& t, std::function<void()> const& prepare, std::function<void()> const& run) {
        { t.time(prepare, run) } -> std::same_as<measurement>;
    };

/// A timer that gives up early on what is already provably slower than `value_s`.
template <class T>
concept racing_timer = timer<T> && requires(T& t, double value_s) {
    { t.stop_above(value_s) } -> std::same_as<void>;
};

/// Times one run with any timer.
///
/// @param chosen     a timer; it may keep state between calls
/// @param prepare    makes ready for one run: restores buffers, flushes caches; may be empty
/// @param run        what is timed
/// @param stop_above seconds past which precision is not needed; ignored by a timer that does not
/// race
/// @return  seconds
/// Errors   whatever `prepare` or `run` throws
template <class Timer>
[[nodiscard]] measurement time_with(Timer& chosen,
                                    std::function<void()> const& prepare,
                                    std::function<void()> const& run,
                                    double stop_above)
{
    static_assert(
        timer<Timer>,
        "attune::time_with(chosen, ...): 'chosen' is not a timer; it needs a member "
        "time(std::function<void()> const& prepare, std::function<void()> const& run) that "
        "returns attune::measurement (seconds)");
    if constexpr (timer<Timer>) {
        if constexpr (racing_timer<Timer>) chosen.stop_above(stop_above);
        if (prepare) return chosen.time(prepare, run);
        return chosen.time([] {}, run);
    } else {
        return {};
    }
}

} // namespace attune::inline ATTUNE_ABI
