// attune/measure/clock/adaptive_timer.hpp - repeats a run until its time is precise enough.
// SPDX-License-Identifier: MIT
//
// See estimate.hpp for the interval, clocks.hpp for the choice of the clock, racing.hpp for the
// test against a limit. The interval is checked only after a third more samples each time: in
// simulations with skewed and long-tailed times it then covers at least 93 % (nominally 95) when it
// stops.
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

/// When to stop: at the first of these conditions.
struct adaptive_timer_options {
    double precision = 0.01;         ///< half the 95 % interval over the median; 0: do not stop
    std::uint32_t min_samples = 6;   ///< fewest for `precision`; racing may stop earlier
    std::uint32_t max_samples = 200; ///< >= 1
    double max_s = 1.0;              ///< wall seconds of all runs with warm-up and prepare
    std::uint32_t warm_up_runs = 1;  ///< not counted; the last one decides about the clock
    /// Seconds from which on that run counts as a sample after all, unless it took longer than each
    /// of the next ones by more than `precision`, that is, unless it did warm something up. Racing
    /// never counts it. This choice by the outcome costs the interval up to 0.7 % of its coverage.
    double warm_up_counts_from_s = std::numeric_limits<double>::infinity();
    double stop_above =
        std::numeric_limits<double>::infinity(); ///< seconds: stop when proved slower
    double racing_error = 0.05; ///< probability of stopping a run that is not slower than that
    /// True when runs may follow one another without `prepare`; short runs then share a sample. It
    /// is called only for a run too short for the clock, and may execute the run. Empty: false.
    std::function<bool()> is_repeatable{};
    clock_choice clock = clock_choice::automatic; ///< without a warm-up run, automatic is wall
    std::function<double()> background_cpu_s{};   ///< see system_clocks
    timing_record* record = nullptr;              ///< receives the samples; may be null
    /// A run of nothing, wrapped as the runs are. Its time is subtracted, so that the kernel alone
    /// is timed. Empty: runs are not wrapped.
    std::function<void()> idle{};
};

namespace detail {

/// The loop of adaptive_timer over any sample_taker. Times the taker's first run, with its clock.
///
/// `max_s` takes precedence over `min_samples`: a run longer than `max_s` is made once (see
/// time_budget), and if that was the warm-up run, its time is the only sample. With fewer than six
/// samples the interval is their range. A run that was stopped by `stop_above` has a slightly too
/// long time. Disturbed samples do not count for racing, but for `max_samples` and `max_s`.
///
/// @return  seconds
/// Errors   exceptions of the taker
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
    bool may_count_warm_up = options.warm_up_runs > 0 && runs == 1 &&
                             taker.warm_up_s(0) >= options.warm_up_counts_from_s;
    for (;;) {
        time_sample const sample = taker.take(0, runs);
        samples.add(sample);
        if (sample.is_disturbed)
            record.disturbed.push_back(static_cast<std::uint32_t>(record.times.size()));
        record.times.push_back(sample.seconds);
        // A disturbed sample never counts for racing: its length is no property of the run, and
        // counting it only when many are disturbed would be a choice by the outcome.
        if (!sample.is_disturbed) slower.add(sample.seconds);
        if (samples.taken() >= most || slower.is_slower()) return samples.estimate();
        // Asked once, before the first look: an outcome decides about a sample here.
        if (may_count_warm_up && samples.sorted().size() + 1 >= next_look) {
            may_count_warm_up = false;
            if (!samples.counts_disturbed() &&
                taker.warm_up_s(0) <= (1 + options.precision) * samples.sorted().back()) {
                samples.add({taker.warm_up_s(0), false});
                record.times.insert(record.times.begin(), taker.warm_up_s(0));
                for (std::uint32_t& at : record.disturbed)
                    ++at;
                if (samples.taken() >= most) return samples.estimate();
            }
        }
        if (samples.sorted().size() >= next_look) {
            measurement const so_far = samples.estimate();
            if (is_narrow(so_far, options.precision)) return so_far;
            next_look += std::max<std::size_t>(next_look / 3, 1);
        }
        if (budget.is_up()) return samples.estimate();
    }
}

/// The loop with any source of clocks. Errors: exceptions of `prepare` and `run`
template <time_source Source>
[[nodiscard]] measurement time_adaptively(Source& source, adaptive_timer_options const& options,
                                          std::function<void()> const& prepare,
                                          std::function<void()> const& run)
{
    clocked_runs taker(source, options.clock, prepare, std::span(&run, 1), &options.idle);
    return time_adaptively(taker, options);
}

} // namespace detail

/// time_adaptively() with the clocks of this machine. `prepare` runs before every run and is not
/// timed; exceptions of `prepare` and `run` pass through, and the timer stays usable.
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

    /// Sets the limit above which a run is stopped as soon as it is proven slower; infinity: none.
    void stop_above(double value_s) noexcept { options_.stop_above = value_s; }

    [[nodiscard]] adaptive_timer_options const& chosen() const noexcept { return options_; }

private:
    adaptive_timer_options options_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/adaptive_timer.ipp>
#endif
