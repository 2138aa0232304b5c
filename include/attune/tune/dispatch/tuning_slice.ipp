// attune/tune/dispatch/tuning_slice.ipp - whose turn it is, and how much a slice may cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// A session costs a first run of the default and a final: fewer evaluations are not worth it.
inline constexpr std::uint64_t fewest_of_first_slice = 8;
/// Where more inputs wait than the budget has such slices.
inline constexpr std::uint64_t fewest_of_any_slice = 4;
/// Where no number limits a tuning.
inline constexpr std::uint64_t usual_first_slice = 15;

ATTUNE_INLINE double expected_gain(std::span<known_outcome const> outcomes)
{
    std::vector<double> logs;
    for (known_outcome const& one : outcomes)
        if (auto const* const m = std::get_if<measurement>(&one.result);
            m != nullptr && m->value > 0)
            logs.push_back(std::log(m->value));
    if (logs.size() < 2) return 0;
    std::sort(logs.begin(), logs.end());
    // The best of a half: with probability 1/2 the best of all, with 1/4 the second ...
    double mean = 0;
    double share = 1;
    for (double const one : logs)
        mean += (share /= 2) * one;
    mean += share * logs.back();
    return 1 - std::exp(logs.front() - mean);
}

ATTUNE_INLINE std::size_t next_in_turn(std::span<sliced_tuning const> all)
{
    auto const comes_first = [](sliced_tuning const& a, sliced_tuning const& b) {
        bool const is_new = a.evaluations == 0;
        if (is_new != (b.evaluations == 0)) return is_new;
        if (is_new) return a.calls > b.calls;
        auto const saved_s = [](sliced_tuning const& of) {
            return static_cast<double>(of.calls) * of.call_s * of.gain;
        };
        return saved_s(a) > saved_s(b);
    };
    return static_cast<std::size_t>(std::min_element(all.begin(), all.end(), comes_first) -
                                    all.begin());
}

ATTUNE_INLINE tuning_slice next_slice(sliced_tuning const& of,
                                      search_limits const& whole,
                                      search_limits const& left,
                                      std::size_t waiting)
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
