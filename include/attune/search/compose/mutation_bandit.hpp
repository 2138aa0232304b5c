// attune/search/compose/mutation_bandit.hpp - mutates the best by the operator that helped most of late.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 3.2.1 for the choice; over mutation operators as in OpenTuner
//          (Ansel et al. 2014) and in Fialho et al. 2010
// tested by search/compose/simplex.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/closed.hpp>

#include <cstddef>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// One parameter of the best configuration, the last one of equals, is changed by one operator: the
/// one that found new bests most often of late, or was used seldom. Operators are those of one or
/// two parents.
struct mutation_bandit {
    static constexpr std::string_view name = "mutation_bandit";
    double exploration = 0.05;
    std::size_t window = 500;

    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("exploration", self.exploration);
        visit("window", self.window);
    }
    [[nodiscard]] static search_process run(trials& t, mutation_bandit with);
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/mutation_bandit.ipp>
#endif
