// bench/support/duel.hpp - is b really faster than a? Both, turn by turn, on the same machine.
// SPDX-License-Identifier: MIT
// Source   a round robin of two
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>

#include <array>
#include <cstdint>
#include <functional>

namespace bench {

/// When to stop comparing. Whatever comes first. A result that merely has become significant does
/// not stop a duel: stopping there would prove too much too often.
struct duel_options {
    double precision = 0.005;       ///< half the 95 % interval of the ratio over the ratio
    double clear_by = 0.1;          ///< one is slower than the other by more than this
    std::uint32_t min_pairs = 10;   ///< before `precision` or `clear_by` may stop
    std::uint32_t max_pairs = 200;  ///< >= 1
    double max_s = 2.0;             ///< wall seconds of everything; the rule of adaptive_timer
    std::uint32_t warm_up_runs = 1; ///< of each, not counted; the last one tells which clock to use
    attune::clock_choice clock =
        attune::clock_choice::automatic; ///< thread CPU only where it suits both
};

/// The outcome of a duel.
struct comparison {
    double ratio = 1;        ///< median over the pairs of (seconds of b) / (seconds of a)
    double low = 1;          ///< lower end of its 95 % interval; the range below six pairs
    double high = 1;         ///< upper end
    std::uint32_t pairs = 0; ///< turns behind it
    attune::measurement a;   ///< seconds of one run of a
    attune::measurement b;   ///< seconds of one run of b

    /// Proved, not merely seen: the whole interval lies below 1, and it is a real interval.
    [[nodiscard]] constexpr bool b_is_faster() const noexcept
    {
        return pairs >= attune::detail::fewest_for_confidence && high < 1;
    }
};

/// The loop of duel() over any source of time.
template <attune::time_source Source>
[[nodiscard]] comparison
duel_with(Source& source, duel_options const& options, std::function<void()> const& prepare,
          std::function<void()> const& run_a, std::function<void()> const& run_b)
{
    attune::time_in_turns_options how;
    how.precision = options.precision;
    how.clear_by = options.clear_by;
    how.min_rounds = options.min_pairs;
    how.max_rounds = options.max_pairs;
    how.max_s = options.max_s;
    how.warm_up_rounds = options.warm_up_runs;
    how.clock = options.clock;
    std::array<std::function<void()>, 2> const runs{run_a, run_b};
    attune::round_times const times =
        attune::detail::time_in_turns_with(source, how, prepare, runs);
    attune::measurement const ratio = times.ratio(0, 1);
    return {ratio.value, ratio.low, ratio.high, ratio.samples, times.time(0), times.time(1)};
}

/// Compares two runs turn by turn: the final of a tuning is held among several, see
/// attune::time_in_turns().
///
/// @param prepare  called before every run of either, never timed; may be empty
/// @return  b over a: below 1, b is faster
/// Errors   whatever `prepare`, `run_a` or `run_b` throws
[[nodiscard]] inline comparison duel(std::function<void()> const& prepare,
                                     std::function<void()> const& run_a,
                                     std::function<void()> const& run_b,
                                     duel_options const& options = {})
{
    attune::system_clocks clocks;
    std::function<void()> const ready = prepare ? prepare : [] {};
    return duel_with(clocks, options, ready, run_a, run_b);
}

} // namespace bench
