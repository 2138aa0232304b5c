// attune/measure/clock/racing.hpp - tests after every repetition whether a run is slower than a limit.
// SPDX-License-Identifier: MIT
// Source   betting against "the median is not above the limit" (Waudby-Smith, Ramdas: Estimating
//          means of bounded random variables by betting, 2024, section 3). At fair odds, capital
//          grows to 1 / error with probability <= error at any time (Ville's inequality), so the
//          test may be read after every run. A fixed-sample interval, read as often, errs several
//          times as often as stated
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// Assumptions about the times, and the error rate.
struct racing_options {
    /// Probability of ever calling a run slower whose median is at most the limit.
    double error = 0.05;
    /// Runs longer than `far` medians are at most this frequent; 1: nothing is assumed, and fewer
    /// than six runs prove nothing. Measured on a loaded machine: by thread CPU time 1 in 100 runs
    /// was longer than 1.15 medians, by the wall clock 1 in 10 was longer than 9.
    double far_rate = 1;
    double far = 2;
};

/// Tests the median of a stream of times against a limit. Needs no distribution: only that a time
/// is above the median with probability <= 1/2, given any times before it.
class slower_test {
public:
    /// @param limit  seconds; infinity: no run is slower
    explicit slower_test(double limit, racing_options const& options = {}) noexcept
        : limit_(limit)
        , far_limit_(limit * options.far)
        , wanted_(1 / options.error)
        , far_rate_(options.far_rate)
    {
    }

    /// Adds one time. @return is_slower()
    bool add(double seconds) noexcept
    {
        // Each strategy starts with one fifth of the capital and bets all it has on every run.
        for (std::size_t i = 0; i < bets.size(); ++i)
            money_[i] *= seconds > limit_ ? 2 * bets[i] : 2 * (1 - bets[i]);
        if (far_rate_ < far_bet)
            money_.back() *=
                seconds > far_limit_ ? far_bet / far_rate_ : (1 - far_bet) / (1 - far_rate_);
        double sum = 0;
        for (double const m : money_)
            sum += m;
        if (sum >= wanted_ * static_cast<double>(money_.size())) is_slower_ = true;
        return is_slower_;
    }

    /// True once the run was proven slower.
    [[nodiscard]] bool is_slower() const noexcept { return is_slower_; }

private:
    /// Each strategy's probability of a time above the limit; the odds pay for 1/2.
    static constexpr std::array<double, 4> bets{0.6, 0.75, 0.9, 0.99};
    static constexpr double far_bet = 0.9;

    double limit_ = std::numeric_limits<double>::infinity();
    double far_limit_;
    double wanted_;
    double far_rate_;
    std::array<double, 5> money_{1, 1, 1, 1, 1};
    bool is_slower_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
