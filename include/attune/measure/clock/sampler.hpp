// attune/measure/clock/sampler.hpp - one time after another: enough runs for the clock, and undisturbed.
// SPDX-License-Identifier: MIT
// Source   own measurements: 16 to 28 % of the runs of 1 ms were preempted on a loaded machine, and
//          took up to 9 times as long by the wall clock; of the others, 90 % were within 5 %
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/estimate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Seconds of one run.
struct time_sample {
    double seconds = 0;
    bool is_disturbed = false; ///< the thread was taken away from its processor meanwhile
};

/// A sample shall last this many times what reading the clock costs, so that what is left of that
/// after calibration (a few percent of it) is far below 1 % of the sample.
inline constexpr double clock_readings_per_sample = 100;
inline constexpr std::uint32_t most_runs_per_sample = 1000;

/// Takes single samples with one clock; calibrates it when made.
template <time_source Source>
class sampler {
public:
    /// @param source  must outlive the sampler
    /// @param idle    see stopwatch
    sampler(Source& source, clock_choice clock, std::function<void()> const& idle = {})
        : source_(&source)
        , watch_(source, clock, idle)
    {
    }

    /// `prepare`, then `runs` runs in a row, which are timed together.
    /// @return  seconds of one of them  @pre runs > 0
    /// Errors   whatever `prepare` or `run` throws
    [[nodiscard]] time_sample take(std::function<void()> const& prepare,
                                   std::function<void()> const& run,
                                   std::uint32_t runs = 1)
    {
        ATTUNE_ASSERT(runs > 0, "nothing to time");
        prepare();
        std::uint64_t const before = source_->preemptions();
        double const seconds = watch_.time(run, runs);
        return {seconds, source_->preemptions() != before};
    }

    /// How many runs of `run_s` seconds make a sample long enough for the clock.
    [[nodiscard]] std::uint32_t runs_for(double run_s) const noexcept
    {
        double const wanted = clock_readings_per_sample * watch_.cost_s() / run_s;
        if (!(wanted > 1)) return 1;
        return static_cast<std::uint32_t>(
            std::ceil(std::min(wanted, double{most_runs_per_sample})));
    }

private:
    Source* source_;
    stopwatch<Source> watch_;
};

/// Times of one run. Disturbed ones do not count, as long as they are not more than half: where the
/// machine is that busy, or the run that long, they are what there is.
class time_samples {
public:
    void reserve(std::size_t count)
    {
        all_.reserve(count);
        clean_.reserve(count);
    }

    void add(time_sample const& sample)
    {
        insert(all_, sample.seconds);
        if (!sample.is_disturbed) insert(clean_, sample.seconds);
    }

    /// How many, disturbed or not.
    [[nodiscard]] std::size_t taken() const noexcept { return all_.size(); }
    /// More than half were disturbed.
    [[nodiscard]] bool counts_disturbed() const noexcept { return 2 * clean_.size() < all_.size(); }
    /// Those that count, ascending.
    [[nodiscard]] std::vector<double> const& sorted() const noexcept
    {
        return counts_disturbed() ? all_ : clean_;
    }
    /// Median and interval of those that count.  @pre taken() > 0
    [[nodiscard]] measurement estimate() const noexcept { return median_of_sorted(sorted()); }

private:
    static void insert(std::vector<double>& sorted, double value)
    {
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
    }

    std::vector<double> all_;   // ascending
    std::vector<double> clean_; // ascending
};

/// The measurement that a timing led to, once more.  @pre there are times
[[nodiscard]] inline measurement estimate_of(timing_record const& record)
{
    time_samples samples;
    samples.reserve(record.times.size());
    std::size_t next = 0; // of those disturbed
    for (std::size_t i = 0; i < record.times.size(); ++i) {
        bool const is_disturbed = next < record.disturbed.size() && record.disturbed[next] == i;
        if (is_disturbed) ++next;
        samples.add({record.times[i], is_disturbed});
    }
    return samples.estimate();
}

} // namespace attune::inline ATTUNE_ABI
