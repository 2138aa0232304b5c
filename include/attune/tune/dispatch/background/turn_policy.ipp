// attune/tune/dispatch/background/turn_policy.ipp - which tuning goes on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/turn_policy.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool may_go_on(turn_task const& of) noexcept
{
    return !of.is_over && of.weight > 0;
}

/// The index of the largest value; nothing where all tasks are over, or have nothing to gain.
template <class Value>
[[nodiscard]] std::optional<std::size_t> largest(std::span<turn_task const> all, Value const& value)
{
    std::optional<std::size_t> out;
    double most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!may_go_on(all[i])) continue;
        double const here = value(all[i]);
        if (!(here > most)) continue;
        most = here;
        out = i;
    }
    return out;
}

/// The heaviest task that has not begun, else the one with the fewest evaluations below `minimum`.
[[nodiscard]] inline std::optional<std::size_t> first_turns(std::span<turn_task const> all,
                                                            std::size_t minimum)
{
    if (auto const fresh =
            largest(all, [](turn_task const& of) { return of.best.empty() ? of.weight : 0.0; }))
        return fresh;
    return largest(all, [minimum](turn_task const& of) {
        return of.best.size() < minimum ? 1 / static_cast<double>(of.best.size()) : 0.0;
    });
}

ATTUNE_INLINE double worth_of_next(turn_task const& of) noexcept
{
    constexpr std::size_t first = 16; // a search may have no model yet
    std::size_t const n = of.best.size();
    double const best = of.best.back();
    std::size_t const before = std::max<std::size_t>(1, 3 * n / 4);
    double const gain = of.expected_gain.value_or(n < first ? 0.5 : 0.0);
    double rate = (gain + 0.2) / static_cast<double>(n);
    if (before < n)
        rate += 0.3 * std::log(of.best[before - 1] / best) / static_cast<double>(n - before);
    return of.weight * std::max(0.1 * best, best - of.least_s) * rate;
}

ATTUNE_INLINE turn_policy most_gain(budget_unit by, std::size_t minimum)
{
    return [by, minimum](std::span<turn_task const> all) {
        if (auto const first = first_turns(all, minimum)) return first;
        return largest(all, [by](turn_task const& of) {
            double const worth = worth_of_next(of);
            if (by == budget_unit::evaluations || !(of.spent_s > 0)) return worth;
            return worth * static_cast<double>(of.best.size()) / of.spent_s;
        });
    };
}

ATTUNE_INLINE turn_policy round_robin()
{
    return [](std::span<turn_task const> all) {
        return largest(
            all, [](turn_task const& of) { return 1 / (1 + static_cast<double>(of.best.size())); });
    };
}

ATTUNE_INLINE turn_policy equal_split(double part, budget_unit by)
{
    return [part, by](std::span<turn_task const> all) {
        return largest(all, [part, by](turn_task const& of) {
            double const had =
                by == budget_unit::seconds ? of.spent_s : static_cast<double>(of.best.size());
            return had < part ? 1.0 : 0.0;
        });
    };
}

ATTUNE_INLINE turn_policy gradient(double alpha, std::size_t window)
{
    return [alpha, window](std::span<turn_task const> all) {
        if (auto const first = first_turns(all, 1)) return first;
        return largest(all, [alpha, window](turn_task const& of) {
            std::size_t const n = of.best.size();
            double const now = of.best.back();
            double const gained = n > window ? of.best[n - 1 - window] - now : 0.0;
            return of.weight * (alpha * gained / static_cast<double>(window) +
                                (1 - alpha) * now / static_cast<double>(n));
        });
    };
}

} // namespace attune::inline ATTUNE_ABI::detail
