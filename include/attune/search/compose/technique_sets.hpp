// attune/search/compose/technique_sets.hpp - the sets of techniques that a bandit begins with.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 7.1.1; which variants they are as in OpenTuner (Ansel et al.
//          2014). Own: technique_set_orders(), technique_set_for(); operators for selectors:
//          Table 4.5
// Bench    bench/search/tsp.cpp
// tested by search/compose/technique_text.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/meta/technique.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// "A", with which OpenTuner searches by default: Nelder-Mead, differential evolution, and two
/// greedy mutations.
[[nodiscard]] std::vector<technique> technique_set_a();

/// "pso-ga-de": three particle swarms and three genetic searches, of the crossovers OX1, PMX and
/// PX, and differential evolution.
[[nodiscard]] std::vector<technique> technique_set_pgd();

/// "D": Nelder-Mead, differential evolution, pattern search, particle swarm.
[[nodiscard]] std::vector<technique> technique_set_d();

/// For spaces of orders, in which the sets above make no small move: climbs that move one item,
/// that move a section of up to half of the items, and that reverse a section. Which of them helps
/// differs between objectives, so that a bandit over them gains more than one climb with all three.
/// Without swaps: on tours they cost more than they gain (bench/search/tsp.cpp). Parameters that
/// are no permutations change as in any climb.
[[nodiscard]] std::vector<technique> technique_set_orders();

/// The set that suits a space by its structure: technique_set_a(); where nothing but orders varies
/// technique_set_orders(); where other parameters do as well, set A with random_move for orders,
/// which its operators else draw anew, and a climb. Where there is a selector, the techniques move,
/// cross and pull selectors as a whole (selector_move, selector_cross, selector_swarm), as a
/// cut-off and what runs below it mean little alone; other parameters change as in the sets above.
[[nodiscard]] std::vector<technique> technique_set_for(description const& space);

/// Every technique of this folder with its usual settings: bases with their default operators,
/// genetic and swarm searches with each crossover, simplices with each start, and so on.
[[nodiscard]] std::vector<technique> technique_library();

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/technique_sets.ipp>
#endif
