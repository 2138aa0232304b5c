// attune/search/model/climb.hpp - from good candidates to better neighbours.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       models over a sample of a space that is too large to be scored whole
// Out      the sample, with the neighbours of its best members, and theirs, while that helps
// Source   BaCO Sec. 3.3 (multi-start local search of the acquisition function)
// Depends  Eigen; link attune::search
// Tests    tests/search/model/climb.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/choice.hpp>
#include <attune/search/model/search_models.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Rounds after which a climb ends, wherever it is; in a long run it goes on at the next step.
inline constexpr int longest_climb = 5;

/// In each round the neighbours of those among the `starts` best rows that are new become
/// candidates; ends when the neighbours of all of them are candidates.
/// Cost    per round: the models' opinion on some tens of candidates per start
inline void climb(search_models& models,
                  chain_of_trees const& space,
                  std::size_t told,
                  double best,
                  std::size_t starts,
                  int rounds = longest_climb)
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

} // namespace attune::inline ATTUNE_ABI
