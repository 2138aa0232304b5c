// attune/search/budget.hpp - how much a search or a tuning may cost, and what is left of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace attune::inline ATTUNE_ABI {

/// A search ends when either limit is reached; a limit that is not given does not limit. In a
/// tuning everything counts: compiling, failed variants and the final comparison; the default
/// configuration is the first evaluation. One evaluation that takes longer than all before it can
/// overrun `seconds`; the final then still has half its time.
/// 0 evaluations or 0 seconds: no search and no tuning, and no error either.
struct budget {
    static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
    static constexpr double any_time = std::numeric_limits<double>::infinity();

    std::uint64_t evaluations = any_number;
    double seconds = any_time;

    [[nodiscard]] static constexpr budget of_evaluations(std::uint64_t n) noexcept
    {
        return {n, any_time};
    }
    [[nodiscard]] static constexpr budget of_seconds(double s) noexcept { return {any_number, s}; }
    /// What one tuning may cost unless it is told otherwise: 60 evaluations and 60 seconds.
    [[nodiscard]] static constexpr budget usual() noexcept { return {60, 60.0}; }

    friend bool operator==(budget const&, budget const&) = default;
};

/// Whether anything may be evaluated: neither limit is 0. Seconds below 0, or no number, are 0.
[[nodiscard]] constexpr bool wants_tuning(budget const& limits) noexcept
{
    return limits.evaluations > 0 && limits.seconds > 0;
}

/// What remains of `whole` when `spent` of it is gone, at least 0; no limit stays no limit.
[[nodiscard]] constexpr budget what_is_left(budget const& whole, budget const& spent) noexcept
{
    budget left = whole;
    if (whole.evaluations != budget::any_number)
        left.evaluations -= std::min(whole.evaluations, spent.evaluations);
    if (whole.seconds < budget::any_time)
        left.seconds = std::max(0.0, whole.seconds - spent.seconds);
    return left;
}

/// The tighter limit of both, each.
[[nodiscard]] constexpr budget within(budget const& one, budget const& other) noexcept
{
    return {std::min(one.evaluations, other.evaluations), std::min(one.seconds, other.seconds)};
}

} // namespace attune::inline ATTUNE_ABI
