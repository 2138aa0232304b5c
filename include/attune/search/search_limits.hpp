// attune/search/search_limits.hpp - the limits of a search or a tuning, and their remainders.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <limits>

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

} // namespace attune::inline ATTUNE_ABI
