// attune/search/transfer/warm_portfolio.ipp - the first configurations, from other sessions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

/// The place of the least value; nothing without a success.
[[nodiscard]] inline std::optional<std::size_t> best_in(translated_session const& session)
{
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < session.value.size(); ++i)
        if (session.value[i] && (!out || *session.value[i] < *session.value[*out])) out = i;
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
        // Translates the whole session: outcomes that changed less replace others.
        detail::translated_session here = detail::translate(space, *one);
        std::optional<std::size_t> const best = detail::best_in(here);
        if (best && std::find(out.begin(), out.end(), here.where[*best]) == out.end())
            out.push_back(std::move(here.where[*best]));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
