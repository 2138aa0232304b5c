// attune/search/stop.hpp - whether a search is over, and why.
// SPDX-License-Identifier: MIT
//
// The last rule is the expected regret of Makarova et al. 2022
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

enum class stop_reason : std::uint8_t {
    evaluations,
    seconds,
    target,
    patience,
    expected_gain,
    roofline,
    exhausted, ///< every configuration was tried
};

/// Why a search ended.
struct stop_verdict {
    stop_reason reason{};
    std::string text; ///< one sentence with the numbers
};

namespace detail {

/// Watches one search.
class stop_judge {
public:
    explicit stop_judge(search_limits const& limits)
        : limits_(limits)
    {
    }

    void add(outcome const& result)
    {
        ++evaluations_;
        ++since_improvement_;
        auto const* const m = std::get_if<measurement>(&result);
        if (m == nullptr || !__builtin_isfinite(m->value)) return;
        ++worked_;
        if (!best_ || m->value < *best_ - limits_.improvement * __builtin_fabs(*best_))
            since_improvement_ = 0;
        if (!best_ || m->value < *best_) best_ = m->value;
    }

    /// Whether gain() should be told what the model expects: every five outcomes, if that matters.
    [[nodiscard]] bool wants_gain() const noexcept
    {
        return limits_.expected_gain > 0 && worked_ > 0 && evaluations_ >= gain_asked_ + 5;
    }
    /// @param expected  of the search's expected_gain(); nothing where it does not know
    void gain(std::optional<double> expected)
    {
        gain_asked_ = evaluations_;
        small_gains_ = expected && *expected < limits_.expected_gain ? small_gains_ + 1 : 0;
        gain_ = expected;
    }
    /// The last estimate.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept { return gain_; }

    /// No value can be below `least`, as far as is known: a roofline. The search ends when the best
    /// reaches this share of what is possible: at `least / share`.
    void enough(double share, double least) noexcept
    {
        roofline_ = share;
        least_ = least;
    }

    /// Outcomes that may still be waited for.
    [[nodiscard]] std::uint64_t evaluations_left() const noexcept
    {
        return limits_.evaluations > evaluations_ ? limits_.evaluations - evaluations_ : 0;
    }
    /// Whether the cost leaves one more: neither the evaluations nor `elapsed_s` reach their limit.
    [[nodiscard]] bool has_room(double elapsed_s) const noexcept
    {
        return evaluations_left() > 0 && elapsed_s < limits_.seconds;
    }
    [[nodiscard]] search_limits const& limits() const noexcept { return limits_; }
    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_; }
    [[nodiscard]] std::uint64_t worked() const noexcept { return worked_; }

    /// @param elapsed_s  since the search began
    [[nodiscard]] std::optional<stop_verdict> verdict(double elapsed_s) const
    {
        if (best_ && *best_ <= limits_.target)
            return stop_verdict{stop_reason::target,
                                "the target " + number(limits_.target) +
                                    " is reached: " + number(*best_)};
        if (roofline_ > 0 && best_ && *best_ * roofline_ <= least_)
            return stop_verdict{stop_reason::roofline,
                                number(least_ / *best_) + " of the roofline is reached (" +
                                    number(roofline_) + " was asked for): " + number(*best_) +
                                    " s, where " + number(least_) + " s is the least"};
        if (evaluations_ >= limits_.evaluations)
            return stop_verdict{stop_reason::evaluations,
                                std::to_string(evaluations_) + " evaluations are done" + nothing()};
        if (elapsed_s >= limits_.seconds)
            return stop_verdict{stop_reason::seconds,
                                number(limits_.seconds) + " s have passed" + nothing()};
        if (since_improvement_ >= limits_.patience)
            return stop_verdict{stop_reason::patience,
                                "no improvement in " + std::to_string(since_improvement_) +
                                    " evaluations" + nothing()};
        if (small_gains_ >= 2)
            return stop_verdict{stop_reason::expected_gain,
                                "the expected remaining gain is " + number(gain_.value_or(0)) +
                                    ", less than " + number(limits_.expected_gain)};
        return {};
    }
    /// The verdict over a space in which nothing is left to try.
    [[nodiscard]] stop_verdict exhausted() const
    {
        return {stop_reason::exhausted,
                "all " + std::to_string(evaluations_) + " configurations were tried" + nothing()};
    }

private:
    [[nodiscard]] static std::string number(double v) { return detail::formatted("%.4g", v); }
    [[nodiscard]] std::string nothing() const
    {
        return evaluations_ > 0 && worked_ == 0 ? ", and none of them worked" : "";
    }

    search_limits limits_;
    std::uint64_t evaluations_ = 0;
    std::uint64_t worked_ = 0;
    std::uint64_t since_improvement_ = 0;
    std::uint64_t gain_asked_ = 0;
    int small_gains_ = 0;
    std::optional<double> best_;
    std::optional<double> gain_;
    double roofline_ = 0; ///< 0: not known
    double least_ = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
