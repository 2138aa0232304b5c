// attune/search/local/local_search.ipp - multi-start descent.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/local_search.hpp>
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

} // namespace detail

ATTUNE_INLINE local_search::local_search(chain_of_trees space, std::uint64_t seed,
                                         local_search_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
