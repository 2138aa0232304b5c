// attune/search/local/coordinate_descent.ipp - passes over the parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/coordinate_descent.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

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

ATTUNE_INLINE coordinate_descent::coordinate_descent(chain_of_trees space, std::uint64_t seed,
                                                     coordinate_descent_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend_by_coordinate(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
