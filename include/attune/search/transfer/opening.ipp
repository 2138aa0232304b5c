// attune/search/transfer/opening.ipp - what is asked first where other sessions are known.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/transfer/opening.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE double agreement(std::span<judged_outcome const> told) noexcept
{
    auto const value = [](judged_outcome const& o) {
        return o.value.value_or(std::numeric_limits<double>::infinity());
    };
    double sum = 0;
    double most = 0;
    for (std::size_t i = 0; i < told.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            double const expected = told[i].expected - told[j].expected;
            double const a = value(told[i]);
            double const b = value(told[j]);
            if (!(a < b || b < a)) continue;
            most += std::abs(expected);
            sum += a < b ? -expected : expected;
        }
    return most > 0 ? sum / most : 0;
}

/// Whether expectations differ by opening::contrast.
[[nodiscard]] inline bool has_contrast(std::span<judged_outcome const> told,
                                       std::span<double const> waiting)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    auto const add = [&](double expected) {
        low = std::min(low, expected);
        high = std::max(high, expected);
    };
    for (judged_outcome const& o : told)
        add(o.expected);
    for (double const expected : waiting)
        add(expected);
    return high - low >= opening::contrast;
}

ATTUNE_INLINE opening_step opening::next(std::span<judged_outcome const> told,
                                         std::span<double const> waiting)
{
    opening_step const out = choose(told, waiting);
    if (out == opening_step::session) ++sessions_;
    if (out == opening_step::design) ++designs_;
    return out;
}

ATTUNE_INLINE opening_step opening::choose(std::span<judged_outcome const> told,
                                           std::span<double const> waiting) const
{
    std::size_t const asked = told.size() + waiting.size();
    if (told.size() >= length) return opening_step::model;
    // Nothing worked: the model has nothing to learn from.
    bool const is_blind = std::none_of(told.begin(), told.end(),
                                       [](judged_outcome const& o) { return o.value.has_value(); });
    if (is_blind) return sessions_ <= designs_ ? opening_step::session : opening_step::design;
    if (designs_ < most_designs && !has_contrast(told, waiting)) {
        bool const is_surprised =
            std::any_of(told.begin(), told.end(),
                        [](judged_outcome const& o) { return o.surprise > surprising; });
        if (sessions_ > 0 && (is_surprised || asked >= unsurprised)) return opening_step::design;
    }
    if (sessions_ < starts_ && agreement(told) >= 0) return opening_step::session;
    return opening_step::model;
}

} // namespace attune::inline ATTUNE_ABI::detail
