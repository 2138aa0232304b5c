// attune/tune/dispatch/background/tuning_slice.ipp - whose turn it is, and how much a slice may cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/tuning_slice.hpp>
#include <attune/tune/dispatch/background/turn_policy.hpp>

#include <algorithm>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// A session costs a first run of the default and a final: fewer evaluations are not worth it.
inline constexpr std::uint64_t fewest_of_first_slice = 8;
/// Where more inputs wait than the budget has such slices.
inline constexpr std::uint64_t fewest_of_any_slice = 4;
/// Where no number limits a tuning.
inline constexpr std::uint64_t usual_first_slice = 15;

ATTUNE_INLINE search_limits part_of(tuning_slice const& slice) noexcept
{
    constexpr std::uint64_t any = search_limits::any_number;
    std::uint64_t const parts = std::max<std::size_t>(slice.sharers, 1);
    return {.evaluations = slice.evaluations == any
                               ? any
                               : std::max<std::uint64_t>(slice.evaluations / parts, 1),
            .seconds = slice.seconds / static_cast<double>(parts)};
}

ATTUNE_INLINE std::vector<double> best_after(std::span<known_outcome const> outcomes)
{
    std::vector<double> out;
    for (known_outcome const& one : outcomes) {
        auto const* const m = std::get_if<measurement>(&one.result);
        if (m == nullptr && out.empty()) continue;
        out.push_back(out.empty()    ? m->value
                      : m == nullptr ? out.back()
                                     : std::min(out.back(), m->value));
    }
    return out;
}

ATTUNE_INLINE std::size_t next_in_turn(std::span<sliced_tuning const> all)
{
    std::vector<turn_task> tasks;
    for (sliced_tuning const& of : all)
        // The model of a session ends with it: a slice is judged by what the last one gained.
        tasks.push_back(
            {.weight = 1 + static_cast<double>(of.calls),
             .best = of.evaluations > 0 ? std::span(of.best) : std::span<double const>{},
             .expected_gain = 0.0});
    return most_gain(budget_unit::evaluations, 1)(tasks).value_or(0);
}

ATTUNE_INLINE tuning_slice next_slice(sliced_tuning const& of, search_limits const& whole,
                                      search_limits const& left, std::size_t waiting)
{
    constexpr std::uint64_t any = search_limits::any_number;
    std::uint64_t const first = whole.evaluations == any
                                    ? usual_first_slice
                                    : std::max(whole.evaluations / 4, fewest_of_first_slice);
    tuning_slice out{.seconds_before = of.spent_s};
    if (of.evaluations == 0) {
        std::uint64_t const share =
            left.evaluations == any ? first : left.evaluations / std::max<std::size_t>(waiting, 1);
        out.evaluations = std::min(first, std::max(share, fewest_of_any_slice));
    } else {
        out.evaluations = of.evaluations + std::max(of.evaluations, fewest_of_first_slice);
    }
    if (whole.evaluations < out.evaluations + first / 2) out.evaluations = whole.evaluations;
    double const all_s = whole.seconds;
    out.seconds = all_s < search_limits::any_time
                      ? std::min(std::max(all_s / 4, of.spent_s), all_s - of.spent_s)
                      : all_s;
    if (out.evaluations == whole.evaluations && all_s < search_limits::any_time)
        out.seconds = all_s - of.spent_s;
    return out;
}

ATTUNE_INLINE bool has_all(sliced_tuning const& of, search_limits const& whole) noexcept
{
    constexpr double rest = 0.05; // of the time: too little for a session
    bool const has_time =
        whole.seconds == search_limits::any_time || of.spent_s < (1 - rest) * whole.seconds;
    return of.evaluations >= whole.evaluations || !has_time;
}

} // namespace attune::inline ATTUNE_ABI::detail
