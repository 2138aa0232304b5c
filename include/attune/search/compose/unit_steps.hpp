// attune/search/compose/unit_steps.hpp - searches by steps of every parameter: patterns, pseudo annealing.
// SPDX-License-Identifier: MIT
// Source   Hooke & Jeeves, "Direct search", 1961; Kirkpatrick et al. 1983; both as OpenTuner (Ansel et
//          al. 2014) has them: numbers step up and down, other kinds are mutated. Own: how much
//          worse a neighbour is counts in standard deviations of all values (trials::excess)
// tested by search/compose/simplex.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/closed.hpp>

#include <cstddef>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// From a centre, all parameters step up and down; the best step becomes the centre. Where none is
/// better, steps are halved; where these become too short, another centre follows.
struct pattern_search {
    static constexpr std::string_view name = "pattern_search";
    double least_step = 0.001;
    double step = 0.1; ///< the first one, as a share of the range of a number

    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("least_step", self.least_step);
        visit("step", self.step);
    }
    [[nodiscard]] static search_process run(trials& t, pattern_search with);
};

/// All steps of a state are measured; from the best of them on, the next worse one is preferred
/// with probability exp(-scaling * excess / temperature). Temperature and steps fall together,
/// linearly and exponentially, and rise again after `rounds`.
struct pseudo_annealing {
    static constexpr std::string_view name = "pseudo_annealing";
    double cold = 0;
    double hot = 30;
    std::size_t rounds = 100;
    double scaling = 50;

    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("cold", self.cold);
        visit("hot", self.hot);
        visit("rounds", self.rounds);
        visit("scaling", self.scaling);
    }
    [[nodiscard]] static search_process run(trials& t, pseudo_annealing with);
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/unit_steps.ipp>
#endif
