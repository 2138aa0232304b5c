// attune/measure/adaptive_timer.hpp - repeats a run until its time is known well enough.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       how to make ready, what to run, how precisely, how long at most
// Out      median seconds of one run with its 95 % interval
// Source   own; the interval is estimate.hpp, the choice of the clock is clocks.hpp. The interval
// is
//          looked at after every run, so that at the moment of stopping it covers a little less
//          than its nominal 95 %: good for ranking, while the last word belongs to duel.hpp
// Depends  std only
// Tests    tests/measure/adaptive_timer.cpp, tests/laws/timer.hpp
#pragma once

#include <attune/measure/clocks.hpp>
#include <attune/measure/estimate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace attune {

/// When to stop repeating. Whatever comes first.
struct adaptive_timer_options {
    double precision = 0.01;         ///< half the 95 % interval over the median; 0: never
    std::uint32_t min_samples = 6;   ///< before `precision` may stop; racing needs 6 in any case
    std::uint32_t max_samples = 200; ///< >= 1
    double max_s = 1.0;              ///< wall seconds of everything: warm-up, prepare and run
    std::uint32_t warm_up_runs = 1;  ///< not counted; the last one tells which clock to use
    double stop_above =
        std::numeric_limits<double>::infinity();  ///< seconds: stop when proved slower
    clock_choice clock = clock_choice::automatic; ///< without a warm-up run, automatic is wall
};

/// The loop of adaptive_timer over any source of time.
///
/// `max_s` outranks `min_samples`: a round is prepare and run, and by the rule of time_budget a run
/// longer than `max_s` is made once; if that was the warm-up run, its time is the one sample. Fewer
/// than six samples give their range instead of an interval.
///
/// @return  seconds
/// Errors   whatever `prepare` or `run` throws
/// Cost     the timed part allocates nothing; between runs, one sorted insertion
template <time_source Source>
[[nodiscard]] measurement time_adaptively(Source& source,
                                          adaptive_timer_options const& options,
                                          std::function<void()> const& prepare,
                                          std::function<void()> const& run)
{
    std::vector<double> sorted;
    std::size_t const most = std::max<std::size_t>(options.max_samples, 1);
    sorted.reserve(std::min<std::size_t>(most, 4096));

    time_budget budget(source, options.max_s);

    clock_choice clock = options.clock;
    for (std::uint32_t done = 0; done < options.warm_up_runs; ++done) {
        prepare();
        run_profile const seen = profile(source, run);
        if (options.clock == clock_choice::automatic) clock = suitable_clock(seen);
        if (budget.is_up()) return measurement::exact(seen.by(clock));
    }

    stopwatch watch(source, clock);
    for (;;) {
        prepare();
        double const elapsed_s = watch.time(run);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), elapsed_s), elapsed_s);
        measurement const so_far = median_of_sorted(sorted);
        if (sorted.size() >= most) return so_far;
        if (sorted.size() >= fewest_for_confidence && so_far.low > options.stop_above)
            return so_far;
        if (sorted.size() >= options.min_samples && is_narrow(so_far, options.precision))
            return so_far;
        if (budget.is_up()) return so_far;
    }
}

/// The timer attune uses: models `racing_timer`.
class adaptive_timer {
public:
    using options = adaptive_timer_options;

    adaptive_timer() = default;
    explicit adaptive_timer(adaptive_timer_options chosen)
        : options_(chosen)
    {
    }

    /// Median seconds of one run; see time_adaptively().
    [[nodiscard]] measurement time(std::function<void()> const& prepare,
                                   std::function<void()> const& run) const;

    /// From now on, stop as soon as a run is provably slower than this; infinity: never.
    void stop_above(double value_s) noexcept { options_.stop_above = value_s; }

    [[nodiscard]] adaptive_timer_options const& chosen() const noexcept { return options_; }

private:
    adaptive_timer_options options_;
};

} // namespace attune
