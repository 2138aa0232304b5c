// attune/search/local/annealing.ipp - the walk of simulated annealing.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
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

} // namespace detail

ATTUNE_INLINE
annealing::annealing(chain_of_trees space, std::uint64_t seed, annealing_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::anneal(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
