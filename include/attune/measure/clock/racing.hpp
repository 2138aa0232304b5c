// attune/measure/clock/racing.hpp - is this run slower than a limit? Asked after every repetition.
// SPDX-License-Identifier: MIT
// Source   betting against "the median is not above the limit" (Waudby-Smith, Ramdas: Estimating
//          means of bounded random variables by betting, 2024, section 3). Whoever bets at fair
//          odds multiplies his money by 1 / error with probability <= error at any time at all
//          (Ville's inequality), so that looking after every run costs nothing: an interval for a
//          fixed number of samples, looked at as often, errs several times as often as it says
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <limits>

namespace attune::inline ATTUNE_ABI {

/// What is assumed of the times, and how often the verdict may be wrong.
struct racing_options {
    /// The probability of ever calling a run slower whose median is at most the limit.
    double error = 0.05;
    /// Runs longer than `far` times the median are at most this frequent; 1: nothing is assumed,
    /// and no fewer than six runs prove anything. By thread CPU time 1 in 100 runs was longer than
    /// 1.15 medians on a loaded machine; by the wall clock 1 in 10 was longer than 9.
    double far_rate = 1;
    double far = 2;
};

/// The median of a stream of times against a limit. Needs no distribution: only that a time lies
/// above the median with probability 1/2 at most, whatever was before.
class slower_test {
public:
    /// @param limit  seconds; infinity: nothing is ever slower
    explicit slower_test(double limit, racing_options const& options = {}) noexcept
        : limit_(limit)
        , far_limit_(limit * options.far)
        , wanted_(1 / options.error)
        , far_rate_(options.far_rate)
    {
    }

    /// One more time. @return is_slower()
    bool add(double seconds) noexcept
    {
        // Each better has one fifth of the money and stakes it anew on every run.
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

    /// Proven at some time; it stays so.
    [[nodiscard]] bool is_slower() const noexcept { return is_slower_; }

private:
    /// How probable each better thinks a time above the limit; the odds pay for 1/2.
    static constexpr std::array<double, 4> bets{0.6, 0.75, 0.9, 0.99};
    static constexpr double far_bet = 0.9;

    double limit_ = std::numeric_limits<double>::infinity();
    double far_limit_;
    double wanted_;
    double far_rate_;
    std::array<double, 5> money_{1, 1, 1, 1, 1};
    bool is_slower_ = false;
};

} // namespace attune::inline ATTUNE_ABI
