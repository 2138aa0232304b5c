// attune/measure/clock/time_in_turns.hpp - compares several runs by timing them in turns.
// SPDX-License-Identifier: MIT
//
// The machine's speed changes over time. Runs close in time have the same speed, which cancels in
// their ratio. Every second round is in reverse order, so no run always follows the same one.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Conditions to stop comparing; the first that holds stops. A significant result does not stop:
/// significant results would become too frequent.
struct time_in_turns_options {
    double precision = 0.005;         ///< half the interval of a ratio over the ratio
    double clear_by = 0.1;            ///< a clear ratio: its whole interval is above 1 plus this
    double confidence = 0.95;         ///< of these intervals
    std::uint32_t min_rounds = 10;    ///< fewest for `precision` and `clear_by`
    std::uint32_t max_rounds = 200;   ///< >= 1
    double max_s = 2.0;               ///< wall seconds of all rounds; see time_budget
    std::uint32_t warm_up_rounds = 1; ///< not counted; the last one decides the clock
    clock_choice clock = clock_choice::automatic; ///< automatic: thread CPU if it suits all runs
    /// Returns true if runs of a contestant may follow one another without `prepare`: see
    /// adaptive_timer_options. Empty: false.
    std::function<bool(std::size_t)> is_repeatable{};
    std::function<void()> idle{}; ///< as in adaptive_timer_options
    /// This many of the last contestants never exclude others.
    /// @pre  fewer than there are contestants
    std::size_t passengers = 0;
};

namespace detail {

/// The options of a final, with intervals so wide that all together hold with 95 % (Bonferroni).
[[nodiscard]] inline time_in_turns_options final_options(std::size_t contestants, double limit_s)
{
    time_in_turns_options how;
    how.max_s = limit_s;
    how.confidence = confidence_among(contestants);
    return how;
}

} // namespace detail

/// The times of several runs. Times of a round were taken in a row.
class round_times {
public:
    explicit round_times(std::size_t contestants)
        : seconds_(contestants)
    {
    }

    void add(std::size_t contestant, double seconds) { seconds_[contestant].push_back(seconds); }

    [[nodiscard]] std::size_t size() const noexcept { return seconds_.size(); }
    /// The contestant ran in this many rounds, the first ones.
    [[nodiscard]] std::size_t rounds(std::size_t contestant) const noexcept
    {
        return seconds_[contestant].size();
    }
    /// Seconds of a contestant, by round.
    [[nodiscard]] std::vector<double> const& seconds(std::size_t contestant) const noexcept
    {
        return seconds_[contestant];
    }
    /// Median seconds of a contestant and its interval.  @pre rounds(contestant) > 0
    [[nodiscard]] measurement time(std::size_t contestant) const
    {
        std::vector<double> copy = seconds_[contestant];
        return detail::median_of(copy);
    }
    /// Median of (seconds of b) / (seconds of a), over the rounds in which both ran.
    /// @pre  both ran
    [[nodiscard]] measurement ratio(std::size_t a, std::size_t b, double confidence = 0.95) const
    {
        std::vector<double> ratios(std::min(rounds(a), rounds(b)));
        ATTUNE_ASSERT(!ratios.empty(), "two that never ran in one round");
        for (std::size_t i = 0; i < ratios.size(); ++i)
            ratios[i] = seconds_[b][i] / seconds_[a][i];
        return detail::median_of(ratios, confidence);
    }
    /// The contestant with the lowest median among those with the most rounds.
    /// @param passengers  ignores this many of the last contestants
    [[nodiscard]] std::size_t fastest(std::size_t passengers = 0) const
    {
        std::size_t const counting = size() - passengers;
        std::size_t longest = 0;
        for (std::size_t i = 0; i < counting; ++i)
            longest = std::max(longest, rounds(i));
        std::size_t best = size();
        for (std::size_t i = 0; i < counting; ++i)
            if (rounds(i) == longest && (best == size() || time(i).value < time(best).value))
                best = i;
        return best;
    }

private:
    std::vector<std::vector<double>> seconds_; // of each contestant, by round
};

namespace detail {

/// The fewest samples whose range is an interval of this confidence.
[[nodiscard]] constexpr std::size_t fewest_for(double confidence) noexcept
{
    std::size_t n = 1;
    for (double outside = 1; outside > 1 - confidence; outside /= 2)
        ++n;
    return n;
}

/// Returns true if the whole interval is below 1 and has enough samples for its confidence.
[[nodiscard]] constexpr bool is_below_one(measurement const& ratio,
                                          double confidence = 0.95) noexcept
{
    return ratio.samples >= fewest_for(confidence) && ratio.high < 1;
}

/// The loop of time_in_turns() over any sample_taker.
///
/// A contestant leaves if it is slower than the fastest by more than `clear_by`; a passenger also
/// if it is faster by that. The others continue until each is compared with the fastest precisely
/// enough. A disturbed run is repeated if enough time remains for the rounds that a proof needs.
///
/// @param contestants  number of runs of the taker, from run 0  @pre at least one
/// Errors   exceptions of the taker
template <sample_taker Taker>
[[nodiscard]] round_times time_in_turns_with(Taker& taker, std::size_t contestants,
                                             time_in_turns_options const& options)
{
    round_times times(contestants);
    time_budget budget(taker, options.max_s);
    double round_s = std::numeric_limits<double>::infinity(); // the shortest round so far
    double begun_s = 0;
    auto const round_ended = [&] { round_s = std::min(round_s, taker.wall_s() - begun_s); };
    for (std::uint32_t done = 0; done < options.warm_up_rounds; ++done) {
        begun_s = taker.wall_s();
        for (std::size_t i = 0; i < contestants; ++i)
            taker.warm_up(i);
        round_ended();
        if (budget.is_up()) {
            for (std::size_t i = 0; i < contestants; ++i)
                times.add(i, taker.warm_up_s(i));
            return times;
        }
    }

    taker.calibrate();
    std::vector<std::uint32_t> runs(contestants, 1); // of one sample
    if (options.is_repeatable)
        for (std::size_t i = 0; i < contestants; ++i)
            if (taker.runs_for(taker.warm_up_s(i)) > 1 && options.is_repeatable(i))
                runs[i] = good_sample_of(taker, i);
    std::size_t const most = std::max<std::size_t>(options.max_rounds, 1);
    std::size_t const proving = fewest_for(options.confidence);
    std::size_t const fewest = std::max<std::size_t>(options.min_rounds, proving);
    std::vector<std::size_t> active(contestants); // in the order of this round
    for (std::size_t i = 0; i < active.size(); ++i)
        active[i] = i;
    for (std::size_t round = 1; round <= most; ++round) {
        auto const needed = static_cast<double>(proving - std::min(round, proving));
        auto const may_repeat = [&] { return budget.left_s() >= (needed + 1) * round_s; };
        begun_s = taker.wall_s();
        for (std::size_t const i : active)
            times.add(i, take_undisturbed(taker, i, runs[i], may_repeat));
        round_ended();
        std::reverse(active.begin(), active.end());
        if (round >= fewest) {
            std::size_t const front = times.fastest(options.passengers);
            bool told = true;
            std::erase_if(active, [&](std::size_t i) {
                if (i == front) return false;
                measurement const slower = times.ratio(front, i, options.confidence);
                bool const is_clear =
                    slower.low > 1 + options.clear_by || (i >= contestants - options.passengers &&
                                                          slower.high < 1 / (1 + options.clear_by));
                told = told && (is_clear || is_narrow(slower, options.precision));
                return is_clear;
            });
            if (told && contestants > 1) break;
        }
        if (budget.left_s() < round_s) break;
    }
    return times;
}

/// The loop with any source of clocks. Errors: exceptions of `prepare` and the runs
template <time_source Source>
[[nodiscard]] round_times time_in_turns_with(Source& source, time_in_turns_options const& options,
                                             std::function<void()> const& prepare,
                                             std::span<std::function<void()> const> runs)
{
    clocked_runs taker(source, options.clock, prepare, runs, &options.idle);
    return time_in_turns_with(taker, runs.size(), options);
}

} // namespace detail

/// Times several runs in rounds, with the clocks of this machine.
///
/// @param prepare  called before every run, not timed; may be empty
/// Errors   exceptions of `prepare` and the runs
[[nodiscard]] round_times time_in_turns(std::function<void()> const& prepare,
                                        std::span<std::function<void()> const> runs,
                                        time_in_turns_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/time_in_turns.ipp>
#endif
