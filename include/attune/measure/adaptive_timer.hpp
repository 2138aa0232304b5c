// attune/measure/adaptive_timer.hpp - repeats a run until its time is known well enough.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       how to make ready, what to run, how precisely, how long at most
// Out      median seconds of one run with its 95 % interval
// Source   own; the interval is estimate.hpp, the choice of the clock is clocks.hpp, what is slower
//          than a limit is racing.hpp. The interval is looked at now and then, not after every
//          run: at the moment of stopping it then covers at least 93 % (nominally 95), in
//          simulations with skewed and long-tailed times
// Depends  std only
// Tests    tests/measure/adaptive_timer.cpp, tests/laws/timer.hpp
#pragma once

#include <attune/measure/clocks.hpp>
#include <attune/measure/estimate.hpp>
#include <attune/measure/racing.hpp>
#include <attune/measure/sampler.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace attune {

/// When to stop repeating. Whatever comes first.
struct adaptive_timer_options {
    double precision = 0.01;         ///< half the 95 % interval over the median; 0: never
    std::uint32_t min_samples = 6;   ///< before `precision` may stop; racing may stop before
    std::uint32_t max_samples = 200; ///< >= 1
    double max_s = 1.0;              ///< wall seconds of everything: warm-up, prepare and run
    std::uint32_t warm_up_runs = 1;  ///< not counted; the last one tells which clock to use
    double stop_above =
        std::numeric_limits<double>::infinity(); ///< seconds: stop when proved slower
    double racing_error = 0.05; ///< how often at most what is no slower than that may be stopped
    /// Whether runs may follow one another without `prepare`: short ones then share a sample. Asked
    /// only for a run too short for the clock, and may run it. Empty: they may not.
    std::function<bool()> is_repeatable{};
    clock_choice clock = clock_choice::automatic; ///< without a warm-up run, automatic is wall
    std::function<double()> background_cpu_s{};   ///< see system_clocks
};

/// Runs longer than two medians, by thread CPU time: at most this share. racing_options says why.
inline constexpr double far_rate_of_cpu_time = 0.05;

/// The loop of adaptive_timer over any source of time.
///
/// `max_s` outranks `min_samples`: a round is prepare and run, and by the rule of time_budget a run
/// longer than `max_s` is made once; if that was the warm-up run, its time is the one sample. Fewer
/// than six samples give their range instead of an interval. What was stopped because it is slower
/// than `stop_above` looks a little slower than it is.
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
    time_samples samples;
    std::size_t const most = std::max<std::size_t>(options.max_samples, 1);
    samples.reserve(std::min<std::size_t>(most, 4096));

    time_budget budget(source, options.max_s);

    clock_choice clock = options.clock;
    double run_s = shortest_time_s;
    for (std::uint32_t done = 0; done < options.warm_up_runs; ++done) {
        prepare();
        run_profile const seen = profile(source, run);
        if (options.clock == clock_choice::automatic) clock = suitable_clock(seen);
        run_s = seen.wall_s;
        if (budget.is_up()) return measurement::exact(seen.by(clock));
    }

    sampler taker(source, clock);
    std::uint32_t runs = 1;
    if (options.is_repeatable && taker.runs_for(run_s) > 1 && options.is_repeatable())
        runs = taker.runs_for(taker.take(prepare, run).seconds);
    bool const by_cpu_time = clock == clock_choice::thread_cpu;
    slower_test slower(
        options.stop_above,
        {.error = options.racing_error, .far_rate = by_cpu_time ? far_rate_of_cpu_time : 1});
    std::size_t next_look = std::max<std::size_t>(options.min_samples, fewest_for_confidence);
    for (;;) {
        time_sample const sample = taker.take(prepare, run, runs);
        samples.add(sample);
        if (!sample.is_disturbed || samples.counts_disturbed()) slower.add(sample.seconds);
        if (samples.taken() >= most || slower.is_slower()) return samples.estimate();
        if (samples.sorted().size() >= next_look) {
            measurement const so_far = samples.estimate();
            if (is_narrow(so_far, options.precision)) return so_far;
            next_look += std::max<std::size_t>(next_look / 3, 1);
        }
        if (budget.is_up()) return samples.estimate();
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
