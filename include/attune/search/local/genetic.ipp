// attune/search/local/genetic.ipp - makes generations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A random index into a sorted population; lower ones are more likely.
[[nodiscard]] inline std::size_t ranked_place(std::size_t count, double selection,
                                              random_engine& engine)
{
    double const u = 1 - std::pow(1 - uniform_unit(engine), 1 / selection);
    return std::min(count - 1, static_cast<std::size_t>(u * static_cast<double>(count)));
}

[[nodiscard]] inline point child_of(point const& a, point const& b, moves const& near,
                                    double mutation, random_engine& engine)
{
    point child = a;
    for (std::uint32_t const p : near.varying()) {
        if (uniform_below(engine, 2) == 0) child[p] = b[p];
        if (uniform_unit(engine) < mutation)
            child[p] = moves::random_coordinate(near.space().describe().parameters[p], engine);
    }
    return near.repaired(child, engine);
}

inline search_process breed(trials& t, genetic_options o)
{
    moves const near(t.space());
    std::vector<point> round = fresh_points(t, o.population);
    std::vector<double> value = co_await t.evaluate(round);
    std::vector<valued_point> parents;
    for (;;) {
        for (std::size_t i = 0; i < round.size(); ++i)
            keep_best(parents, {round[i], value[i]}, std::max<std::size_t>(o.population, 1));
        round.clear();
        while (round.size() < std::max(o.children, t.batch())) {
            point child = t.fresh();
            for (int tries = 0; tries < 20; ++tries) {
                point const& a =
                    parents[ranked_place(parents.size(), o.selection, t.engine())].where;
                point const& b =
                    parents[ranked_place(parents.size(), o.selection, t.engine())].where;
                point mixed = child_of(a, b, near, o.mutation, t.engine());
                bool const is_new = !t.has_seen(mixed) &&
                                    std::find(round.begin(), round.end(), mixed) == round.end();
                if (!is_new) continue;
                child = std::move(mixed);
                break;
            }
            round.push_back(std::move(child));
        }
        value = co_await t.evaluate(round);
    }
}

} // namespace detail

ATTUNE_INLINE
genetic::genetic(chain_of_trees space, std::uint64_t seed, genetic_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::breed(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
