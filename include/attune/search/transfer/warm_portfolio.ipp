// attune/search/transfer/warm_portfolio.ipp - what to try first where sessions were elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/transfer/translate.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<point> warm_portfolio(chain_of_trees const& space,
                                                std::span<past_session const> sessions,
                                                std::size_t count,
                                                warm_start_options const& options)
{
    if (!detail::is_narrow(space.describe())) return {};
    return detail::warm_start(space, {sessions.begin(), sessions.end()}, options, {})
        .portfolio(count);
}

namespace detail {

/// Of the finite values the least; none: nothing worked.
[[nodiscard]] inline past_outcome const* best_outcome(past_session const& session)
{
    past_outcome const* out = nullptr;
    for (past_outcome const& one : session.outcomes)
        if (one.value && std::isfinite(*one.value) && (out == nullptr || *one.value < *out->value))
            out = &one;
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<point> transferred_starts(chain_of_trees const& space,
                                                    std::span<past_session const> sessions,
                                                    std::size_t count)
{
    if (detail::is_narrow(space.describe())) return warm_portfolio(space, sessions, count);
    std::vector<past_session const*> heaviest_first;
    for (past_session const& one : sessions)
        if (one.weight > 0 && std::isfinite(one.weight)) heaviest_first.push_back(&one);
    detail::sort_stably(heaviest_first,
                        [](auto const* a, auto const* b) { return a->weight > b->weight; });
    std::vector<point> out;
    for (past_session const* const one : heaviest_first) {
        if (out.size() >= count) break;
        past_outcome const* const best = detail::best_outcome(*one);
        if (best == nullptr) continue;
        detail::translated_session here =
            detail::translate(space, {.parameters = one->parameters, .outcomes = {*best}});
        for (point& at : here.where)
            if (std::find(out.begin(), out.end(), at) == out.end()) out.push_back(std::move(at));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
