// attune/search/search_limits.hpp - the limits of a search or a tuning, their remainders, and the decision that a search is over.
// SPDX-License-Identifier: MIT
//
// The last rule is the expected regret of Makarova et al. 2022
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// A search ends as soon as one limit is reached; an unset limit has no effect.
/// With 0 evaluations or 0 seconds there is no search, no tuning and no error.
/// Example  attune::minimize(space, cost, {.evaluations = 100, .patience = 20});
struct search_limits {
    static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
    static constexpr double any_time = std::numeric_limits<double>::infinity();

    // Limits of the cost. In a tuning everything counts: compiling, failed variants and the final
    // comparison; the default configuration is the first evaluation. A single evaluation that takes
    // longer than all before it can overrun `seconds`; the final then still has half its time.
    std::uint64_t evaluations = any_number;
    double seconds = any_time;

    // Limits of the result, whatever cost remains.
    /// Ends with a value of at most this.
    double target = -std::numeric_limits<double>::infinity();
    /// Ends after so many outcomes in a row without a value lower than the best by more than
    /// `improvement` of it.
    std::uint64_t patience = any_number;
    double improvement = 0.0;
    /// Ends if the model expects to gain less than this share of the best, twice in a row, five
    /// outcomes apart. If values are not all positive, it is a difference in the objective's unit.
    /// 0: no limit. 0.01 ends when the best is within about 1 % of the expected optimum.
    double expected_gain = 0.0;

    [[nodiscard]] static constexpr search_limits of_evaluations(std::uint64_t n) noexcept
    {
        return {.evaluations = n};
    }
    [[nodiscard]] static constexpr search_limits of_seconds(double s) noexcept
    {
        return {.seconds = s};
    }
    /// The default limits of one tuning: 60 evaluations and 60 seconds.
    [[nodiscard]] static constexpr search_limits usual() noexcept
    {
        return {.evaluations = 60, .seconds = 60.0};
    }

    friend bool operator==(search_limits const&, search_limits const&) = default;
};

namespace detail {

/// Returns true if there may be an evaluation: neither limit of the cost is 0. Seconds below 0, or
/// no number, are 0.
[[nodiscard]] constexpr bool wants_tuning(search_limits const& limits) noexcept
{
    return limits.evaluations > 0 && limits.seconds > 0;
}

/// The rest of `whole` after so much cost, at least 0; an unset limit stays unset.
[[nodiscard]] constexpr search_limits
what_is_left(search_limits const& whole, std::uint64_t evaluations, double seconds) noexcept
{
    search_limits left = whole;
    if (whole.evaluations != search_limits::any_number)
        left.evaluations = whole.evaluations > evaluations ? whole.evaluations - evaluations : 0;
    if (whole.seconds < search_limits::any_time)
        left.seconds = whole.seconds > seconds ? whole.seconds - seconds : 0.0;
    return left;
}

/// `one`, with the smaller limits of the cost of `one` and `other`.
[[nodiscard]] constexpr search_limits within(search_limits const& one,
                                             search_limits const& other) noexcept
{
    search_limits out = one;
    if (other.evaluations < one.evaluations) out.evaluations = other.evaluations;
    if (other.seconds < one.seconds) out.seconds = other.seconds;
    return out;
}

} // namespace detail

enum class stop_reason : std::uint8_t {
    evaluations,
    seconds,
    target,
    patience,
    expected_gain,
    roofline,
    exhausted, ///< every configuration was tried
};

/// The reason why a search ended.
struct stop_verdict {
    stop_reason reason{};
    std::string text; ///< a sentence with the numbers
};

namespace detail {

/// Checks one search against its limits.
class stop_judge {
public:
    explicit stop_judge(search_limits const& limits)
        : limits_(limits)
    {
    }

    void add(outcome const& result);

    /// Returns true every five outcomes, if a limit needs the model's expectation: call gain()
    /// then.
    [[nodiscard]] bool wants_gain() const noexcept
    {
        return limits_.expected_gain > 0 && worked_ > 0 && evaluations_ >= gain_asked_ + 5;
    }
    /// @param expected  of the search's expected_gain(); nothing if unknown
    void gain(std::optional<double> expected);
    /// The last estimate.
    [[nodiscard]] std::optional<double> expected_gain() const noexcept { return gain_; }

    /// Sets a lower bound of all values, such as a roofline. The search ends when the best reaches
    /// this share of the optimum: at `least / share`.
    void enough(double share, double least) noexcept
    {
        roofline_ = share;
        least_ = least;
    }

    /// Number of outcomes that are still allowed.
    [[nodiscard]] std::uint64_t evaluations_left() const noexcept
    {
        return limits_.evaluations > evaluations_ ? limits_.evaluations - evaluations_ : 0;
    }
    /// Returns true while neither the evaluations nor `elapsed_s` have reached their limit.
    [[nodiscard]] bool has_room(double elapsed_s) const noexcept
    {
        return evaluations_left() > 0 && elapsed_s < limits_.seconds;
    }
    [[nodiscard]] search_limits const& limits() const noexcept { return limits_; }
    /// Sets new limits of the whole cost since the start; other limits stay.
    void move_limits(std::uint64_t evaluations, double seconds) noexcept
    {
        limits_.evaluations = evaluations;
        limits_.seconds = seconds;
    }
    [[nodiscard]] std::uint64_t evaluations() const noexcept { return evaluations_; }
    [[nodiscard]] std::uint64_t worked() const noexcept { return worked_; }

    /// @param elapsed_s  since the start of the search
    [[nodiscard]] std::optional<stop_verdict> verdict(double elapsed_s) const;
    /// The verdict for a space without further configurations.
    [[nodiscard]] stop_verdict exhausted() const;

private:
    [[nodiscard]] std::string nothing() const;

    search_limits limits_;
    std::uint64_t evaluations_ = 0;
    std::uint64_t worked_ = 0;
    std::uint64_t since_improvement_ = 0;
    std::uint64_t gain_asked_ = 0;
    int small_gains_ = 0;
    std::optional<double> best_;
    std::optional<double> gain_;
    double roofline_ = 0; ///< 0: unknown
    double least_ = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/search_limits.ipp>
#endif
