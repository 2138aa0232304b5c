// attune/measure/clock/pace.hpp - the machine's speed, from a known run repeated between others.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/repeat.cpp --disturbed
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
