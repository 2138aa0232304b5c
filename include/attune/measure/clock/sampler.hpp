// attune/measure/clock/sampler.hpp - single samples with enough runs for the clock, and their statistics.
// SPDX-License-Identifier: MIT
// Source   own measurements: on a loaded machine 16 to 28 % of the runs of 1 ms were preempted and
//          took up to 9 times as long by the wall clock; 90 % of the others were within 5 %
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

/// One sample: seconds per run.
struct time_sample {
    double seconds = 0;
    bool is_disturbed = false; ///< the thread lost its processor during the sample
};

namespace detail {

/// A sample lasts at least this many readings of the clock, so that their error after calibration
/// (a few percent of a reading) is far below 1 % of the sample.
inline constexpr double clock_readings_per_sample = 100;
inline constexpr std::uint32_t most_runs_per_sample = 1000;

/// Takes single samples with one clock; the constructor calibrates.
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

    /// Calls `prepare`, then times `runs` runs in a row together.
    /// @return  seconds per run  @pre runs > 0
    /// Errors   exceptions of `prepare` and `run`
    [[nodiscard]] time_sample take(std::function<void()> const& prepare,
                                   std::function<void()> const& run, std::uint32_t runs = 1)
    {
        ATTUNE_ASSERT(runs > 0, "nothing to time");
        prepare();
        std::uint64_t const before = source_->preemptions();
        double const seconds = watch_.time(run, runs);
        return {seconds, source_->preemptions() != before};
    }

    /// The number of runs of `run_s` seconds in a sample that is long enough for the clock.
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

/// Samples of one run. Disturbed samples do not count, unless they are more than half: then all
/// samples count.
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

    /// Number of samples, disturbed or not.
    [[nodiscard]] std::size_t taken() const noexcept { return all_.size(); }
    /// True when more than half are disturbed.
    [[nodiscard]] bool counts_disturbed() const noexcept { return 2 * clean_.size() < all_.size(); }
    /// The samples that count, ascending.
    [[nodiscard]] std::vector<double> const& sorted() const noexcept
    {
        return counts_disturbed() ? all_ : clean_;
    }
    /// Median and interval of the samples that count.  @pre taken() > 0
    [[nodiscard]] measurement estimate() const noexcept { return median_of_sorted(sorted()); }

private:
    static void insert(std::vector<double>& sorted, double value)
    {
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
    }

    std::vector<double> all_;   // ascending
    std::vector<double> clean_; // ascending
};

/// Computes the measurement of a record again.  @pre record.times is not empty
[[nodiscard]] inline measurement estimate_of(timing_record const& record)
{
    time_samples samples;
    samples.reserve(record.times.size());
    std::size_t next = 0; // index in record.disturbed
    for (std::size_t i = 0; i < record.times.size(); ++i) {
        bool const is_disturbed = next < record.disturbed.size() && record.disturbed[next] == i;
        if (is_disturbed) ++next;
        samples.add({record.times[i], is_disturbed});
    }
    return samples.estimate();
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
