// attune/search/local/annealing.ipp - the walks of the three searches.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/local/annealing.hpp>
#include <attune/search/local/moves.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline search_process anneal(trials& t, annealing_options o)
{
    moves const near(t.space());
    std::vector<point> round = fresh_points(t, o.starts);
    std::vector<double> value = co_await t.evaluate(round);
    valued_point current = best_of(round, value);
    for (;;) {
        std::size_t const begin = t.seen_count();
        double progress = 0;
        for (int known = 0; progress < 1 && known < 100; ++known) {
            double const temperature = o.hot * std::pow(o.cold / o.hot, progress);
            round.clear();
            for (std::size_t i = 0; i < t.batch(); ++i) {
                bool const far = uniform_unit(t.engine()) < o.far;
                std::optional<point> p = far ? near.random_hamming(current.where, t.engine())
                                             : near.random_adjacent(current.where, t.engine());
                round.push_back(p ? std::move(*p) : t.fresh());
            }
            std::size_t const before = t.seen_count();
            value = co_await t.evaluate(round);
            if (t.seen_count() > before) known = 0;
            for (std::size_t i = 0; i < round.size(); ++i) {
                double const excess = t.excess(current.value, value[i]);
                if (uniform_unit(t.engine()) < std::exp(-excess / temperature))
                    current = {round[i], value[i]};
            }
            progress = static_cast<double>(t.seen_count() - begin) /
                       static_cast<double>(std::max<std::size_t>(o.evaluations, 1));
        }
        if (progress < 1) // all neighbours are known
            current.where = t.fresh();
        else if (t.best())
            current.where = *t.best();
        current.value = co_await t.evaluate(current.where);
    }
}

inline search_process descend(trials& t, local_search_options o)
{
    moves const near(t.space());
    for (;;) {
        std::vector<point> round = fresh_points(t, o.starts);
        std::vector<double> value = co_await t.evaluate(round);
        valued_point current = best_of(round, value);
        for (bool improved = true; improved;) {
            improved = false;
            std::vector<point> around = near.hamming(current.where, o.most_values, t.engine());
            shuffle(std::span(around), t.engine());
            for (std::size_t i = 0; i < around.size() && !improved;) {
                std::size_t const end = std::min(around.size(), i + t.batch());
                round.assign(around.begin() + static_cast<std::ptrdiff_t>(i),
                             around.begin() + static_cast<std::ptrdiff_t>(end));
                value = co_await t.evaluate(round);
                valued_point const found = best_of(round, value);
                if (found.value < current.value) {
                    current = found;
                    improved = true;
                }
                i = end;
            }
        }
    }
}

inline search_process descend_by_coordinate(trials& t, coordinate_descent_options o)
{
    moves const near(t.space());
    for (;;) {
        std::vector<point> round = fresh_points(t, o.starts);
        std::vector<double> value = co_await t.evaluate(round);
        valued_point current = best_of(round, value);
        for (bool improved = true; improved;) {
            improved = false;
            std::vector<std::uint32_t> order = near.varying();
            shuffle(std::span(order), t.engine());
            for (std::uint32_t const parameter : order) {
                round = near.line(current.where, parameter, o.most_values, t.engine());
                if (round.empty()) continue;
                value = co_await t.evaluate(round);
                valued_point const found = best_of(round, value);
                if (found.value >= current.value) continue;
                current = found;
                improved = true;
            }
        }
    }
}

} // namespace detail

ATTUNE_INLINE
annealing::annealing(chain_of_trees space, std::uint64_t seed, annealing_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::anneal(t, options); })
{
}

ATTUNE_INLINE local_search::local_search(chain_of_trees space, std::uint64_t seed,
                                         local_search_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend(t, options); })
{
}

ATTUNE_INLINE coordinate_descent::coordinate_descent(chain_of_trees space, std::uint64_t seed,
                                                     coordinate_descent_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend_by_coordinate(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
