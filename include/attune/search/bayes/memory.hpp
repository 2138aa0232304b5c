// attune/search/bayes/memory.hpp - which observations a model keeps when there are too many.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024, Sec. 3.5 (limits of an optimizer's memory: reset, least recently used; the
//          best known stay in either case); the mixture is own: the best say where to go, those far
//          from each other what the whole looks like, the latest what was found out lately
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/history.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// How many of the best stay under the policies that otherwise forget.
inline constexpr std::size_t elite = 12;
/// Among so many candidates, evenly taken from the history, those far from each other are sought.
inline constexpr std::size_t spread_candidates = 192;

/// Adds up to `count` of `from` to `chosen`, each as far as possible from those before it.
inline void add_spread(search_history const& history,
                       description const& space,
                       std::vector<std::size_t> from,
                       std::size_t count,
                       std::vector<std::size_t>& chosen)
{
    if (from.size() > spread_candidates) {
        std::vector<std::size_t> thinned;
        for (std::size_t i = 0; i < spread_candidates; ++i)
            thinned.push_back(from[i * from.size() / spread_candidates]);
        from = std::move(thinned);
    }
    std::vector<double> nearest(from.size(), std::numeric_limits<double>::infinity());
    for (std::size_t taken = 0; taken < std::min(count, from.size()); ++taken) {
        auto const far = std::max_element(nearest.begin(), nearest.end());
        std::size_t const next = static_cast<std::size_t>(far - nearest.begin());
        chosen.push_back(from[next]);
        point const& centre = history.told()[from[next]].where;
        for (std::size_t i = 0; i < from.size(); ++i)
            if (nearest[i] >= 0)
                nearest[i] =
                    std::min(nearest[i], distance(space, centre, history.told()[from[i]].where));
        nearest[next] = -1; // taken
    }
}

} // namespace detail

/// Places in history.told(), ascending: all while they are at most `limit`, else `limit` of them
/// as `policy` says.
/// @param only_working  failures are left out
/// Cost   beyond the limit: limit / 3 * 192 distances under `representative`
[[nodiscard]] inline std::vector<std::size_t> remembered(search_history const& history,
                                                         description const& space,
                                                         memory_policy policy,
                                                         std::size_t limit,
                                                         bool only_working)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < history.told().size(); ++i)
        if (!only_working || history.told()[i].worked) all.push_back(i);
    if (all.size() <= limit) return all;

    std::vector<char> taken(history.told().size(), 0);
    std::vector<std::size_t> out;
    auto const take = [&](std::size_t i) {
        if (taken[i] == 0 && out.size() < limit) {
            taken[i] = 1;
            out.push_back(i);
        }
    };
    bool const mixed = policy == memory_policy::representative;
    std::size_t const third = std::max<std::size_t>(1, limit / 3);
    for (std::size_t const i : history.best_places(mixed ? third : detail::elite))
        take(i);
    std::size_t latest = mixed ? third : limit;
    if (policy == memory_policy::reset) latest = all.size() % limit;
    for (std::size_t i = all.size(); i-- > 0 && latest > 0; --latest)
        take(all[i]);
    if (mixed) {
        std::vector<std::size_t> rest;
        for (std::size_t const i : all)
            if (taken[i] == 0) rest.push_back(i);
        std::vector<std::size_t> spread;
        detail::add_spread(history, space, rest, limit - out.size(), spread);
        for (std::size_t const i : spread)
            take(i);
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace attune::inline ATTUNE_ABI
