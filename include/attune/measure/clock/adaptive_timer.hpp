// attune/measure/clock/adaptive_timer.hpp - repeats a run until its time is precise enough; the machine's pace.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/repeat.cpp --disturbed
// Source   of slower_test: betting against "the median is not above the limit" (Waudby-Smith, Ramdas: Estimating
//          means of bounded random variables by betting, 2024, section 3). At fair odds, capital
//          grows to 1 / error with probability <= error at any time (Ville's inequality). The test
//          may therefore be read after every run. A fixed-sample interval, read as often, errs
//          several times as often as stated
//
// See sampler.hpp for the interval, clocks.hpp for the choice of the clock, slower_test for the
// test against a limit. The interval is checked only after a third more samples each time. In
// simulations with skewed and long-tailed times, it then covers at least 93 % at the end (nominally
// 95 %).
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Assumptions about the times, and the error rate.
struct racing_options {
    /// Probability that the test calls a run slower although its median is at most the limit.
    double error = 0.05;
    /// Runs longer than `far` medians are at most this frequent. 1: no assumption, and fewer than
    /// six runs prove nothing. Measured on a loaded machine: by thread CPU time 1 in 100 runs was
    /// longer than 1.15 medians, by the wall clock 1 in 10 was longer than 9.
    double far_rate = 1;
    double far = 2;
    /// First runs longer than `cold_far` medians are as rare, if the limit is `cold_from_s` or
    /// more: caches that are cold add less than that. If each first run were so long, the test
    /// would err 2.7 times as often as stated.
    double cold_far = 4;
    double cold_from_s = 5e-3;
};

/// Tests the median of a stream of times against a limit. The test needs no distribution: a time
/// must be above the median with probability <= 1/2, given any times before it.
class slower_test {
public:
    /// @param limit  seconds; infinity: no run is slower
    explicit slower_test(double limit, racing_options const& options = {}) noexcept
        : limit_(limit)
        , far_limit_(limit * options.far)
        , wanted_(1 / options.error)
        , far_rate_(options.far_rate)
        , cold_limit_(limit >= options.cold_from_s ? limit * options.cold_far
                                                   : std::numeric_limits<double>::infinity())
    {
    }

    /// Takes the time of a first run before all others. It proves nothing by itself.
    void add_first(double seconds) noexcept
    {
        if (std::isfinite(cold_limit_)) bet_far(money_.back(), seconds > cold_limit_);
    }

    /// Adds one time. @return is_slower()
    bool add(double seconds) noexcept
    {
        // Each strategy bets all its capital on each run.
        for (std::size_t i = 0; i < bets.size(); ++i)
            money_[i] *= seconds > limit_ ? 2 * bets[i] : 2 * (1 - bets[i]);
        for (std::size_t i = bets.size(); i < money_.size(); ++i)
            bet_far(money_[i], seconds > far_limit_);
        double sum = 0;
        for (double const m : money_)
            sum += m;
        if (sum >= wanted_ * all_money) is_slower_ = true;
        return is_slower_;
    }

    /// True once the run was proven slower.
    [[nodiscard]] bool is_slower() const noexcept { return is_slower_; }

private:
    /// Each strategy's probability of a time above the limit; fair odds pay for 1/2.
    static constexpr std::array<double, 4> bets{0.6, 0.75, 0.9, 0.99};
    static constexpr double far_bet = 0.9;

    void bet_far(double& money, bool is_far) const noexcept
    {
        if (far_rate_ < far_bet)
            money *= is_far ? far_bet / far_rate_ : (1 - far_bet) / (1 - far_rate_);
    }

    double limit_ = std::numeric_limits<double>::infinity();
    double far_limit_;
    double wanted_;
    double far_rate_;
    double cold_limit_;
    /// A fifth of the capital for each of `bets`. The two strategies for far times share the last
    /// fifth; the second of them also takes the first run.
    std::array<double, 6> money_{1, 1, 1, 1, 0.5, 0.5};
    static constexpr double all_money = 5;
    bool is_slower_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Conditions to stop; the first that holds stops.
struct adaptive_timer_options {
    double precision = 0.01;         ///< half the 95 % interval over the median; 0: do not stop
    std::uint32_t min_samples = 6;   ///< fewest for `precision`; racing may stop earlier
    std::uint32_t max_samples = 200; ///< >= 1
    double max_s = 1.0;              ///< wall seconds of all runs with warm-up and prepare
    /// Not counted. The last one decides the clock, and is a first run for racing.
    std::uint32_t warm_up_runs = 1;
    /// A warm-up run of at least this time, in seconds, counts as a sample if, within `precision`,
    /// it is no slower than the slowest of the next runs. The
    /// interval loses up to 0.7 % of its coverage by this choice.
    double warm_up_counts_from_s = std::numeric_limits<double>::infinity();
    double stop_above =
        std::numeric_limits<double>::infinity(); ///< seconds: stop when proved slower
    double racing_error = 0.05; ///< probability of stopping a run that is not slower
    /// Returns true if runs may follow one another without `prepare`; short runs then share a
    /// sample. Called only for a run too short for the clock; may execute the run. Empty: false.
    std::function<bool()> is_repeatable{};
    clock_choice clock = clock_choice::automatic; ///< without a warm-up run, automatic is wall
    std::function<double()> background_cpu_s{};   ///< see system_clocks
    timing_record* record = nullptr;              ///< receives the samples; may be null
    /// An empty run, wrapped like the runs; subtracting its time leaves the time of the kernel
    /// alone. Empty: runs are not wrapped.
    std::function<void()> idle{};
};

namespace detail {

/// The loop of adaptive_timer over any sample_taker. Times run 0 of the taker, with the taker's
/// clock.
///
/// `max_s` takes precedence over `min_samples`. A run longer than `max_s` is made once (see
/// time_budget); if that was the warm-up run, its time is the only sample. With fewer than six
/// samples the interval is their range. A run that `stop_above` stopped has a slightly too long
/// time. Disturbed samples count for `max_samples` and `max_s`, but not for racing.
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
    if (options.warm_up_runs > 0) slower.add_first(taker.warm_up_s(0));
    std::size_t next_look = std::max<std::size_t>(options.min_samples, fewest_for_confidence);
    bool may_count_warm_up = options.warm_up_runs > 0 && runs == 1 &&
                             taker.warm_up_s(0) >= options.warm_up_counts_from_s;
    for (;;) {
        time_sample const sample = taker.take(0, runs);
        samples.add(sample);
        if (sample.is_disturbed)
            record.disturbed.push_back(static_cast<std::uint32_t>(record.times.size()));
        record.times.push_back(sample.seconds);
        // A disturbed sample never counts for racing: its length is no property of the run.
        // Counting it only if many are disturbed would be a choice by the outcome.
        if (!sample.is_disturbed) slower.add(sample.seconds);
        if (samples.taken() >= most || slower.is_slower()) return samples.estimate();
        // Decides once, before the first check of the interval: the decision depends on the
        // samples.
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
                                   std::function<void()> const& run) const
    {
        system_clocks clocks{options_.background_cpu_s};
        std::function<void()> const ready = prepare ? prepare : [] {};
        return detail::time_adaptively(clocks, options_, ready, run);
    }

    /// Sets the limit: a run that is proven slower stops at once. Infinity: no limit.
    void stop_above(double value_s) noexcept { options_.stop_above = value_s; }

    [[nodiscard]] adaptive_timer_options const& chosen() const noexcept { return options_; }

private:
    adaptive_timer_options options_;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Tracks samples of a known run, taken between runs of others. The lower fifth of its times counts
/// as undisturbed. On a machine with two speeds, the higher speed counts as undisturbed if it lasts
/// a fifth of the time. Other times are relative to the undisturbed time.
class machine_pace {
public:
    /// Replaces the known run.
    /// @param seconds        its samples  @pre not empty
    /// @param slowness_then  slowness of the machine at these samples, by the former known run; 1
    ///                       for the first known run
    void begin(std::span<double const> seconds, double slowness_then = 1)
    {
        ATTUNE_ASSERT(!seconds.empty(), "nothing is known of a run without a sample");
        if (has_begun()) add_relative(past_);
        known_.clear();
        probed_.clear();
        for (double const s : seconds)
            insert(s / slowness_then);
        // Slowness is a property of the machine, not of the known run.
        latest_ = slowness_then;
    }
    [[nodiscard]] bool has_begun() const noexcept { return !known_.empty(); }

    /// Adds samples of the known run, taken in a row; their median is one probe.
    /// @pre  has_begun(), not empty
    void probe(std::span<time_sample const> samples)
    {
        std::vector<double> seconds;
        for (time_sample const& s : samples)
            seconds.push_back(s.seconds);
        double const middle = median_of(seconds).value;
        insert(middle);
        probed_.push_back(middle);
        before_ = latest_;
        latest_ = middle / undisturbed_s();
        unprobed_s_ = 0;
        // A faster probe means that the machine was slow when the run became known.
        quiet_ = std::abs(latest_ - 1) > much / 2 ? 0 : quiet_ + 1;
    }

    /// Adds runs of other code. Returns true if a probe has to follow: always if the last probe was
    /// slow or fast, or if the runs are doubtful. Otherwise probes take a share of the time. Each
    /// probe at full speed in a row lowers the share, from a quarter to least_share.
    /// @param spent_s      seconds of these runs
    /// @param probe_s      seconds of a probe
    /// @param is_doubtful  the runs may have been slowed down, or much depends on their time
    [[nodiscard]] bool wants_probe(double spent_s, double probe_s, bool is_doubtful)
    {
        unprobed_s_ += spent_s;
        if (is_doubtful || quiet_ == 0) return true;
        double const share = std::max(least_share, 0.25 / static_cast<double>(quiet_));
        if (share * unprobed_s_ >= probe_s) return true;
        ++passed_over_;
        return false;
    }

    /// Seconds of the known run on an undisturbed machine.  @pre has_begun()
    [[nodiscard]] double undisturbed_s() const { return known_[known_.size() / 5]; }
    /// Slowness at the last probe: 1.3 is 30 % slower than undisturbed. 1 before the first probe.
    [[nodiscard]] double slowness() const noexcept { return latest_; }
    /// Mean slowness of the last two probes, for runs between them.
    [[nodiscard]] double slowness_between() const noexcept { return (before_ + latest_) / 2; }

    /// Statistics of all probes that took longer than undisturbed by the factor 1 + `much`. A run
    /// that needs no probe counts as a probe at full speed.
    [[nodiscard]] disturbance disturbed() const
    {
        std::vector<double> all = past_;
        if (has_begun()) add_relative(all);
        disturbance out;
        out.samples = all.size() + passed_over_;
        std::erase_if(all, [](double relative) { return relative <= 1 + much; });
        if (all.empty()) return out;
        out.share = static_cast<double>(all.size()) / static_cast<double>(out.samples);
        out.slowdown = median_of(all).value;
        return out;
    }

    /// Relative difference of times of the same run on a quiet machine.
    static constexpr double much = 0.15;
    /// The share of the time that probes of a quiet machine take, at least.
    static constexpr double least_share = 0.025;

private:
    void insert(double seconds)
    {
        known_.insert(std::upper_bound(known_.begin(), known_.end(), seconds), seconds);
    }
    void add_relative(std::vector<double>& to) const
    {
        for (double const s : probed_)
            to.push_back(s / undisturbed_s());
    }

    std::vector<double> known_{};  // seconds of the known run, ascending
    std::vector<double> probed_{}; // the probes among them, in order
    std::vector<double> past_{};   // relative probes of former known runs
    double before_ = 1;            // slowness at the probe before the last
    double latest_ = 1;            // slowness at the last probe
    double unprobed_s_ = 0;        // wall seconds of runs since the last probe
    std::uint32_t quiet_ = 0;      // number of the last probes in a row at full speed
    std::size_t passed_over_ = 0;  // runs without a probe
};

} // namespace attune::inline ATTUNE_ABI::detail
