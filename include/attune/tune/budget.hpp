// attune/tune/budget.hpp - how much a tuning may cost.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a number of evaluations and of seconds
// Out      the limits of the loop
// Source   own
// Depends  std only
// Tests    tests/tune/budget.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <limits>

namespace attune::inline ATTUNE_ABI {

/// The loop ends when either limit is reached. Everything counts: compiling, failed variants and
/// the final comparison; the default configuration is the first evaluation. One evaluation that
/// takes longer than all before it can overrun `seconds`; the final then still has half its time.
struct budget {
    std::uint32_t evaluations = 60;
    double seconds = 60.0;

    [[nodiscard]] static constexpr budget of_evaluations(std::uint32_t n) noexcept
    {
        return {n, std::numeric_limits<double>::infinity()};
    }
    [[nodiscard]] static constexpr budget of_seconds(double s) noexcept
    {
        return {std::numeric_limits<std::uint32_t>::max(), s};
    }
};

/// Errors: attune::error for a budget with which nothing could be evaluated
inline void require_usable(budget const& limits)
{
    if (limits.evaluations == 0 || !(limits.seconds > 0))
        throw error("the budget is zero: nothing could be tuned",
                    "budget{.evaluations = " + std::to_string(limits.evaluations) +
                        ", .seconds = " + std::to_string(limits.seconds) + "}",
                    "give at least one evaluation and some seconds");
}

} // namespace attune::inline ATTUNE_ABI
