// attune/search/bayes/memory.ipp - the best, distant and latest observations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/memory.hpp>
#include <attune/search/history.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Distant points are selected among this many, taken evenly from the history.
inline constexpr std::size_t spread_candidates = 192;

/// Adds up to `count` of `from` to `chosen`, each as far as possible from the earlier ones.
inline void add_spread(search_history const& history, description const& space,
                       std::vector<std::size_t> from, std::size_t count,
                       std::vector<std::size_t>& chosen)
{
    if (from.size() > spread_candidates) {
        std::vector<std::size_t> thinned;
        for (std::size_t i = 0; i < spread_candidates; ++i)
            thinned.push_back(from[i * from.size() / spread_candidates]);
        from = std::move(thinned);
    }
    std::vector<point> at;
    for (std::size_t const i : from)
        at.push_back(with_inactive_marked(space, history.told()[i].where));
    std::vector<double> nearest(from.size(), std::numeric_limits<double>::infinity());
    for (std::size_t taken = 0; taken < std::min(count, from.size()); ++taken) {
        auto const far = std::max_element(nearest.begin(), nearest.end());
        std::size_t const next = static_cast<std::size_t>(far - nearest.begin());
        chosen.push_back(from[next]);
        for (std::size_t i = 0; i < from.size(); ++i)
            if (nearest[i] >= 0)
                nearest[i] = std::min(nearest[i], marked_distance(space, at[next], at[i]));
        nearest[next] = -1; // taken
    }
}

/// All indices that may be kept, ascending.
inline std::vector<std::size_t> places(search_history const& history, bool only_working)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < history.told().size(); ++i)
        if (!only_working || !history.told()[i].failed()) out.push_back(i);
    return out;
}

/// Up to `limit` distinct indices of a history.
class kept_places {
public:
    kept_places(search_history const& history, std::size_t limit)
        : taken_(history.told().size(), 0)
        , limit_(limit)
    {
    }

    void add(std::size_t place)
    {
        if (taken_[place] != 0 || places_.size() >= limit_) return;
        taken_[place] = 1;
        places_.push_back(place);
    }
    /// The last `count` of `all`.
    void add_latest(std::vector<std::size_t> const& all, std::size_t count)
    {
        for (std::size_t i = all.size(); i-- > 0 && count > 0; --count)
            add(all[i]);
    }
    [[nodiscard]] bool contains(std::size_t place) const { return taken_[place] != 0; }
    [[nodiscard]] std::size_t free() const noexcept { return limit_ - places_.size(); }
    [[nodiscard]] std::vector<std::size_t> sorted() &&
    {
        std::sort(places_.begin(), places_.end());
        return std::move(places_);
    }

private:
    std::vector<char> taken_;
    std::vector<std::size_t> places_;
    std::size_t limit_;
};

ATTUNE_INLINE std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit, bool only_working)
{
    std::vector<std::size_t> const all = places(history, only_working);
    if (all.size() <= limit) return all;
    std::size_t const third = std::max<std::size_t>(1, limit / 3);
    kept_places kept(history, limit);
    for (std::size_t const i : history.best_places(third))
        kept.add(i);
    kept.add_latest(all, third);
    std::vector<std::size_t> rest;
    for (std::size_t const i : all)
        if (!kept.contains(i)) rest.push_back(i);
    std::vector<std::size_t> spread;
    add_spread(history, space, rest, kept.free(), spread);
    for (std::size_t const i : spread)
        kept.add(i);
    return std::move(kept).sorted();
}

} // namespace attune::inline ATTUNE_ABI::detail
