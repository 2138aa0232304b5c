// attune/search/bayes/model/climb.hpp - climbs from good candidates to better neighbours.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.3 (multi-start local search of the acquisition function)
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/choice.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Each round adds the neighbours of the `starts` best rows to the candidates, if not added before;
/// ends when there are none to add.
/// Cost    per round: predictions for some tens of candidates per start
/// @tparam Models  search_models<...>
template <class Models>
void climb(Models& models, chain_of_trees const& space, std::size_t told, double best,
           std::size_t starts, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        std::vector<point> offered;
        for (scored_row const& r : best_rows(models.view(told, best), starts)) {
            if (!models.expand(r.row)) continue;
            for (point& p : space.neighbours(models.rows().at(r.row)))
                offered.push_back(std::move(p));
        }
        if (offered.empty()) return;
        models.offer(std::move(offered));
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
