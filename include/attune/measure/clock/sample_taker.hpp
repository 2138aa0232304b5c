// attune/measure/clock/sample_taker.hpp - the concept of timing runs sample by sample.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Takes samples of several runs; `i` is the index of a run. All may throw what a run throws.
template <class T>
concept sample_taker =
    requires(T& t, std::size_t i, std::uint32_t runs, double run_s, timing_record& record) {
        { t.wall_s() } -> std::same_as<double>;     // seconds, for budgets; never runs backwards
        { t.warm_up(i) } -> std::same_as<void>;     // one run that is not counted
        { t.warm_up_s(i) } -> std::same_as<double>; // seconds of the last; at least shortest_time_s
        { t.calibrate() } -> std::same_as<void>;    // once, between warm-up and the first sample
        { t.describe(record) } -> std::same_as<void>; // sets clock and threads, by the last warm-up
        { t.take(i, runs) } -> std::same_as<time_sample>;     // `runs` in a row; seconds per run
        { t.runs_for(run_s) } -> std::same_as<std::uint32_t>; // runs for a good sample
        { t.far_rate() } -> std::same_as<double>;             // see racing_options
    };

/// Share of runs longer than two medians, by thread CPU time, at most; see racing_options.
inline constexpr double far_rate_of_cpu_time = 0.05;

/// Takes a sample, and repeats it at most twice while it is disturbed and `may_repeat` is true.
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

/// The number of runs for a good sample. Uses the shorter of two runs, because the first may load
/// the code of the timing itself.
template <sample_taker Taker>
[[nodiscard]] std::uint32_t good_sample_of(Taker& taker, std::size_t i)
{
    double const first_s = taker.take(i, 1).seconds;
    return taker.runs_for(std::min(first_s, taker.take(i, 1).seconds));
}

/// A sample_taker for runs in this process, with any source of clocks. The clock is chosen after
/// each warm-up run: thread CPU time only if it suits all runs.
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
    /// Describes the first run.
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

} // namespace attune::inline ATTUNE_ABI::detail
