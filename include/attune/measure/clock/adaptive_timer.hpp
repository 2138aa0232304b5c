// attune/measure/clock/adaptive_timer.hpp - repeats a run until its time is known well enough.
// SPDX-License-Identifier: MIT
//
// The interval is estimate.hpp, the choice of the clock is clocks.hpp, what is slower than a limit
// is racing.hpp. The interval is looked at now and then, not after every run: at the moment of
// stopping it then covers at least 93 % (nominally 95), in simulations with skewed and long-tailed
// times
#pragma once

#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/estimate.hpp>
#include <attune/measure/clock/racing.hpp>
#include <attune/measure/clock/sample_taker.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

namespace attune::inline ATTUNE_ABI {

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
    timing_record* record = nullptr; ///< takes what the measurement is made of; may be null
    /// A run of nothing, wrapped as the runs are: what it takes is taken off their times, so that
    /// what is timed is the kernel alone. Empty: runs are bare.
    std::function<void()> idle{};
};

/// The loop of adaptive_timer over whatever takes samples. Times the taker's first run; the clock
/// of the options is the taker's affair.
///
/// `max_s` outranks `min_samples`: a round is prepare and run, and by the rule of time_budget a run
/// longer than `max_s` is made once; if that was the warm-up run, its time is the one sample. Fewer
/// than six samples give their range instead of an interval. What was stopped because it is slower
/// than `stop_above` looks a little slower than it is. Disturbed samples prove nothing about a run:
/// where all are disturbed, racing does not stop it, and `max_samples` or `max_s` does.
///
/// @return  seconds
/// Errors   whatever the taker throws
/// Cost     the timed part allocates nothing; between runs, one sorted insertion
template <sample_taker Taker>
[[nodiscard]] measurement time_adaptively(Taker& taker, adaptive_timer_options const& options)
{
    time_samples samples;
    std::size_t const most = std::max<std::size_t>(options.max_samples, 1);
    samples.reserve(std::min<std::size_t>(most, 4096));
    timing_record unread;
    timing_record& record = options.record != nullptr ? *options.record : unread;
    record = {};

    time_budget budget(taker, options.max_s);
    for (std::uint32_t done = 0; done < options.warm_up_runs; ++done) {
        taker.warm_up(0);
        if (!budget.is_up()) continue;
        taker.describe(record);
        record.times = {taker.warm_up_s(0)};
        return measurement::exact(taker.warm_up_s(0));
    }

    taker.calibrate();
    taker.describe(record);
    std::uint32_t runs = 1;
    if (options.is_repeatable && taker.runs_for(taker.warm_up_s(0)) > 1 && options.is_repeatable())
        runs = good_sample_of(taker, 0);
    record.runs = runs;
    slower_test slower(options.stop_above,
                       {.error = options.racing_error, .far_rate = taker.far_rate()});
    std::size_t next_look = std::max<std::size_t>(options.min_samples, fewest_for_confidence);
    for (;;) {
        time_sample const sample = taker.take(0, runs);
        samples.add(sample);
        if (sample.is_disturbed)
            record.disturbed.push_back(static_cast<std::uint32_t>(record.times.size()));
        record.times.push_back(sample.seconds);
        // Never a disturbed one, however many there are: what made it long is no property of the
        // run, and to let it count only when many were disturbed is to choose by the outcome.
        if (!sample.is_disturbed) slower.add(sample.seconds);
        if (samples.taken() >= most || slower.is_slower()) return samples.estimate();
        if (samples.sorted().size() >= next_look) {
            measurement const so_far = samples.estimate();
            if (is_narrow(so_far, options.precision)) return so_far;
            next_look += std::max<std::size_t>(next_look / 3, 1);
        }
        if (budget.is_up()) return samples.estimate();
    }
}

/// The same over any source of clocks. Errors: whatever `prepare` or `run` throws
template <time_source Source>
[[nodiscard]] measurement time_adaptively(Source& source,
                                          adaptive_timer_options const& options,
                                          std::function<void()> const& prepare,
                                          std::function<void()> const& run)
{
    clocked_runs taker(source, options.clock, prepare, std::span(&run, 1), &options.idle);
    return time_adaptively(taker, options);
}

/// time_adaptively() on the clocks of this machine. `prepare` runs before every run and is never
/// timed; what it or `run` throws comes out as it is, and the timer can be used again.
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/adaptive_timer.ipp>
#endif
