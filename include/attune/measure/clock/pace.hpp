// attune/measure/clock/pace.hpp - how fast the machine is, by a run of known time repeated between others.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/repeat.cpp --disturbed
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/estimate.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Samples of one run, the known one, taken between runs of others. What it takes while nothing
/// disturbs it is the lower fifth of its times: on a machine with two speeds that is the higher
/// speed, as long as it has it in a fifth of the time. All else is told in units of that.
class machine_pace {
public:
    /// Another run is the known one from now on.
    /// @param seconds        samples of it  @pre not empty
    /// @param slowness_then  of the machine when they were taken, by the run known before; 1 for
    ///                       the first known run
    void begin(std::span<double const> seconds, double slowness_then = 1)
    {
        ATTUNE_ASSERT(!seconds.empty(), "nothing is known of a run without a sample");
        if (has_begun()) add_relative(past_);
        known_.clear();
        probed_.clear();
        for (double const s : seconds)
            insert(s / slowness_then);
        // A probe tells of the machine, whatever was sampled.
        latest_ = slowness_then;
    }
    [[nodiscard]] bool has_begun() const noexcept { return !known_.empty(); }

    /// One probe: samples of the known run, taken one after another, of which the median counts.
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
    }

    /// Seconds of the known run while nothing disturbs it.  @pre has_begun()
    [[nodiscard]] double undisturbed_s() const { return known_[known_.size() / 5]; }
    /// By the latest probe: 1.3 is 30 % slower than undisturbed. 1 before there is one.
    [[nodiscard]] double slowness() const noexcept { return latest_; }
    /// By the latest probe and the one before: of what ran between them.
    [[nodiscard]] double slowness_between() const noexcept { return (before_ + latest_) / 2; }

    /// Of all probes, those that took longer by `much`.
    [[nodiscard]] disturbance disturbed() const
    {
        std::vector<double> all = past_;
        if (has_begun()) add_relative(all);
        disturbance out;
        out.samples = all.size();
        std::erase_if(all, [](double relative) { return relative <= 1 + much; });
        if (all.empty()) return out;
        out.share = static_cast<double>(all.size()) / static_cast<double>(out.samples);
        out.slowdown = median_of(all).value;
        return out;
    }

    /// One and the same run differs by this on a machine at rest.
    static constexpr double much = 0.15;

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
    std::vector<double> probed_{}; // those of them that are probes, in order
    std::vector<double> past_{};   // probes by runs known before, relative
    double before_ = 1;            // the two latest probes, relative
    double latest_ = 1;
};

} // namespace attune::inline ATTUNE_ABI
