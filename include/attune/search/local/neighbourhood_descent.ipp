// attune/search/local/neighbourhood_descent.ipp - descent through several neighbourhoods.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/nearest_estimate.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

enum class neighbourhood : std::uint8_t { adjacent, one_parameter, two_parameters, elites };

/// `a` with a random choice of the parameters of `b`.
[[nodiscard]] inline point mixture(point a, point const& b, moves const& near,
                                   random_engine& engine)
{
    for (std::uint32_t const p : near.varying())
        if (uniform_below(engine, 2) == 0) a[p] = b[p];
    return near.repaired(a, engine);
}

/// The best five that worked, best first.
[[nodiscard]] inline std::vector<valued_point> elites_of(trials const& t)
{
    std::vector<valued_point> out;
    for (valued_point const& known : t.told())
        if (known.value != failed_value) keep_best(out, known, 5);
    return out;
}

/// Unseen configurations of a neighbourhood of `centre`, the most promising first.
[[nodiscard]] inline std::vector<point> candidates_of(neighbourhood which, point const& centre,
                                                      moves const& near,
                                                      neighbourhood_descent_options const& o,
                                                      trials& t)
{
    std::vector<point> all;
    if (which == neighbourhood::adjacent)
        all = near.adjacent(centre);
    else if (which == neighbourhood::one_parameter)
        all = near.hamming(centre, o.candidates, t.engine());
    else if (which == neighbourhood::two_parameters)
        for (std::size_t i = 0; i < o.candidates; ++i)
            all.push_back(near.scrambled(centre, 2, t.engine()));
    else {
        std::vector<valued_point> const elites = elites_of(t);
        for (std::size_t i = 0; i < o.candidates && !elites.empty(); ++i)
            all.push_back(mixture(centre, elites[uniform_below(t.engine(), elites.size())].where,
                                  near, t.engine()));
    }
    std::unordered_set<point, point_hash> taken;
    std::erase_if(all, [&](point const& p) { return t.has_seen(p) || !taken.insert(p).second; });
    shuffle(std::span(all), t.engine());
    all.resize(std::min(all.size(), o.candidates));
    if (o.neighbours == 0) return all;
    nearest_estimate const estimate(t.space().describe(), t.told());
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i)
        order.emplace_back(estimate(all[i], o.neighbours), i);
    std::sort(order.begin(), order.end());
    std::vector<point> out;
    for (auto const& [expected, i] : order)
        out.push_back(std::move(all[i]));
    return out;
}

/// The best configuration known one step from `centre` that is not tabu.
[[nodiscard]] inline std::optional<valued_point>
uphill_move(valued_point const& centre, std::deque<point> const& tabu, trials const& t)
{
    std::optional<valued_point> out;
    for (valued_point const& known : t.told()) {
        std::size_t differing = 0;
        for (std::uint32_t p = 0; p < known.where.size(); ++p)
            differing += known.where[p] != centre.where[p] && t.space().is_active(p, known.where) &&
                                 t.space().is_active(p, centre.where)
                             ? 1U
                             : 0U;
        if (differing == 0 || differing > 2 || known.value == failed_value) continue;
        if (std::find(tabu.begin(), tabu.end(), known.where) != tabu.end()) continue;
        if (!out || known.value < out->value) out = known;
    }
    return out;
}

inline search_process descend_by_neighbourhood(trials& t, neighbourhood_descent_options o)
{
    moves const near(t.space());
    std::deque<point> tabu;
    for (;;) {
        std::vector<point> round = fresh_points(t, o.starts);
        std::vector<double> value = co_await t.evaluate(round);
        valued_point current = best_of(round, value);
        double best_here = current.value;
        for (std::size_t uphill = 0; uphill <= o.patience;) {
            bool improved = false;
            for (int k = 0; k < 4 && !improved; ++k) {
                std::vector<point> const candidates =
                    candidates_of(static_cast<neighbourhood>(k), current.where, near, o, t);
                std::size_t const end = std::min(candidates.size(), o.tries);
                for (std::size_t i = 0; i < end && !improved; i += round.size()) {
                    round.assign(candidates.begin() + static_cast<std::ptrdiff_t>(i),
                                 candidates.begin() +
                                     static_cast<std::ptrdiff_t>(std::min(end, i + t.batch())));
                    value = co_await t.evaluate(round);
                    valued_point const found = best_of(round, value);
                    improved = found.value < current.value;
                    if (improved) current = found;
                }
            }
            if (improved) {
                if (current.value < best_here) {
                    best_here = current.value;
                    uphill = 0;
                }
                continue;
            }
            tabu.push_back(current.where);
            if (tabu.size() > o.tabu) tabu.pop_front();
            std::optional<valued_point> const next = uphill_move(current, tabu, t);
            if (!next) break;
            current = *next;
            ++uphill;
        }
    }
}

} // namespace detail

ATTUNE_INLINE
neighbourhood_descent::neighbourhood_descent(chain_of_trees space, std::uint64_t seed,
                                             neighbourhood_descent_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend_by_neighbourhood(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
