// attune/measure/clock/sampler.hpp - takes samples of a time; their median and its interval.
// SPDX-License-Identifier: MIT
// Source   own measurements: on a loaded machine 16 to 28 % of the runs of 1 ms were preempted and
//          took up to 9 times as long by the wall clock; 90 % of the others were within 5 %
// Source   the order-statistic interval of a median: of n samples, the number below the median is binomial(n,
//          1/2) for every distribution, so the probability of x(low) <= median <= x(high) is a
//          binomial sum. The sum is exact for continuous distributions and a lower bound with ties
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Fewest samples whose range contains the median with 95 % confidence: 1 - 2 * 2^-6 = 0.969; five
/// samples have 0.938.
inline constexpr std::size_t fewest_for_confidence = 6;

/// Two ranks, from 0, of n sorted samples, and the probability that the median is between them.
struct rank_interval {
    std::size_t low = 0;
    std::size_t high = 0;
    double coverage = 0; ///< in [0, 1)
};

/// The narrowest symmetric ranks that cover the median with probability >= `confidence`. The first
/// and the last rank if n is too small.
///
/// @param n           samples, > 0
/// @param confidence  in (0, 1)
/// Errors   none
/// Cost     O(sqrt n), no logarithms: terms relative to the central one, then divided by their sum
[[nodiscard]] constexpr rank_interval median_ranks(std::size_t n, double confidence = 0.95) noexcept
{
    ATTUNE_ASSERT(n > 0, "a median needs a sample");
    // P(low < X <= high), high = n - 1 - low, X ~ binomial(n, 1/2): X in [low + 1, n - 1 - low].
    std::size_t const centre = n / 2;
    double total = 1;
    double term = 1;
    for (std::size_t k = centre; k > 0 && term > 1e-20; --k) {
        term *= static_cast<double>(k) / static_cast<double>(n - k + 1);
        total += term;
    }
    term = 1;
    for (std::size_t k = centre; k < n && term > 1e-20; ++k) {
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        total += term;
    }
    // Widens from the centre until the coverage suffices. `edge`: term of the outermost X included.
    bool const even = n % 2 == 0;
    std::size_t low = even ? centre - 1 : centre;
    double edge = 1;
    double covered = even ? 1 : 0;
    while (low > 0 && covered < confidence * total) {
        // One more rank on each side adds X = low and, by symmetry, X = n - low.
        if (low + 1 <= centre) edge *= static_cast<double>(low + 1) / static_cast<double>(n - low);
        covered += 2 * edge;
        --low;
    }
    return {low, n - 1 - low, covered / total};
}

/// Median and interval of samples in ascending order. With fewer than `fewest_for_confidence`
/// samples the interval is their range and covers less than `confidence`.
///
/// @param sorted      ascending, not empty, no NaN
/// @param confidence  in (0, 1)
[[nodiscard]] constexpr measurement median_of_sorted(std::span<double const> sorted,
                                                     double confidence = 0.95) noexcept
{
    std::size_t const n = sorted.size();
    rank_interval const ranks = median_ranks(n, confidence);
    double const upper = sorted[n / 2];
    double const value = n % 2 == 1 ? upper : sorted[n / 2 - 1] + (upper - sorted[n / 2 - 1]) / 2;
    return {value, sorted[ranks.low], sorted[ranks.high], static_cast<std::uint32_t>(n)};
}

/// Sorts samples in place and returns median_of_sorted().
[[nodiscard]] constexpr measurement median_of(std::span<double> samples,
                                              double confidence = 0.95) noexcept
{
    std::sort(samples.begin(), samples.end());
    return median_of_sorted(samples, confidence);
}

/// Returns true if half the interval is at most `precision` times the value (0.01: 1 %). Never true
/// for a precision of 0.
[[nodiscard]] constexpr bool is_narrow(measurement const& m, double precision) noexcept
{
    return precision > 0 && m.samples >= fewest_for_confidence &&
           (m.high - m.low) / 2 <= precision * m.value;
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// A sample, in seconds per run.
struct time_sample {
    double seconds = 0;
    bool is_disturbed = false; ///< the thread lost its processor during the sample
};

namespace detail {

/// Least length of a sample, in readings of the clock. The clock's error after calibration, a few
/// percent of a reading, is then far below 1 % of the sample.
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

/// Samples of a run. Disturbed samples do not count. If more than half are disturbed, all samples
/// count.
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
    /// Returns true if more than half are disturbed.
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

/// Takes samples of several runs; `i` is the index of a run. Functions may throw an exception of a
/// run.
template <class T>
concept sample_taker =
    requires(T& t, std::size_t i, std::uint32_t runs, double run_s, timing_record& record) {
        { t.wall_s() } -> std::same_as<double>;     // seconds, for budgets; never runs backwards
        { t.warm_up(i) } -> std::same_as<void>;     // a run that is not counted
        { t.warm_up_s(i) } -> std::same_as<double>; // seconds of the last; at least shortest_time_s
        { t.calibrate() } -> std::same_as<void>;    // once, between warm-up and first sample
        { t.describe(record) } -> std::same_as<void>; // sets clock and threads, by the last warm-up
        { t.take(i, runs) } -> std::same_as<time_sample>;     // `runs` in a row; seconds per run
        { t.runs_for(run_s) } -> std::same_as<std::uint32_t>; // runs for a good sample
        { t.far_rate() } -> std::same_as<double>;             // see racing_options
    };

/// Largest share of runs longer than two medians, by thread CPU time; see racing_options.
inline constexpr double far_rate_of_cpu_time = 0.05;

/// Takes a sample. Repeats it at most twice, while it is disturbed and `may_repeat` is true.
/// @return  seconds per run
template <sample_taker Taker, std::predicate MayRepeat>
[[nodiscard]] double take_undisturbed(Taker& taker, std::size_t i, std::uint32_t runs,
                                      MayRepeat const& may_repeat)
{
    time_sample sample = taker.take(i, runs);
    for (int again = 0; again < 2 && sample.is_disturbed && may_repeat(); ++again)
        sample = taker.take(i, runs);
    return sample.seconds;
}

/// Number of runs for a good sample. Uses the shorter of two runs, because the first may load the
/// code of the timer.
template <sample_taker Taker>
[[nodiscard]] std::uint32_t good_sample_of(Taker& taker, std::size_t i)
{
    double const first_s = taker.take(i, 1).seconds;
    return taker.runs_for(std::min(first_s, taker.take(i, 1).seconds));
}

/// A sample_taker for runs in this process, with any source of clocks. Chooses the clock after each
/// warm-up run: thread CPU time only if it suits all runs.
template <time_source Source>
class clocked_runs {
public:
    /// @param clock    `automatic` without a warm-up run means wall
    /// @param prepare  called before every sample, not timed. All references outlive this object
    /// @param idle     see stopwatch; null or empty: runs are not wrapped
    clocked_runs(Source& source, clock_choice clock, std::function<void()> const& prepare,
                 std::span<std::function<void()> const> runs,
                 std::function<void()> const* idle = nullptr)
        : source_(&source)
        , wanted_(clock)
        , clock_(clock)
        , prepare_(&prepare)
        , idle_(idle != nullptr && *idle ? idle : nullptr)
        , runs_(runs)
        , seen_(runs.size())
    {
    }

    [[nodiscard]] double wall_s() { return source_->wall_s(); }
    void warm_up(std::size_t i)
    {
        (*prepare_)();
        seen_[i] = profile(*source_, runs_[i]);
        if (wanted_ != clock_choice::automatic) return;
        bool const suits = std::all_of(seen_.begin(), seen_.end(), [](run_profile const& p) {
            return suitable_clock(p) == clock_choice::thread_cpu;
        });
        clock_ = suits ? clock_choice::thread_cpu : clock_choice::wall;
    }
    [[nodiscard]] double warm_up_s(std::size_t i) const noexcept
    {
        return std::max(seen_[i].by(clock_), shortest_time_s);
    }
    void calibrate()
    {
        if (idle_ == nullptr) {
            sampler_.emplace(*source_, clock_);
            return;
        }
        (*prepare_)();
        sampler_.emplace(*source_, clock_, *idle_);
    }
    /// @pre calibrate()
    [[nodiscard]] time_sample take(std::size_t i, std::uint32_t runs)
    {
        return sampler_->take(*prepare_, runs_[i], runs);
    }
    /// @pre calibrate()
    [[nodiscard]] std::uint32_t runs_for(double run_s) const noexcept
    {
        return sampler_->runs_for(run_s);
    }
    void describe(timing_record& record) const
    {
        record.threads = threads_of(seen_[0]);
        record.clock = name_of(clock_);
    }
    [[nodiscard]] double far_rate() const noexcept
    {
        return clock_ == clock_choice::thread_cpu ? far_rate_of_cpu_time : 1;
    }

private:
    Source* source_;
    clock_choice wanted_;
    clock_choice clock_;
    std::function<void()> const* prepare_;
    std::function<void()> const* idle_;
    std::span<std::function<void()> const> runs_;
    std::vector<run_profile> seen_;
    std::optional<sampler<Source>> sampler_{};
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
