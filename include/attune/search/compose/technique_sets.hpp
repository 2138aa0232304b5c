// attune/search/compose/technique_sets.hpp - sets of techniques for the start of a bandit, and random techniques.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 7.1.1; their variants as in OpenTuner (Ansel et al. 2014).
//          Own: technique_set_orders(), technique_set_for(); operators for selectors: Table 4.5.
//          Random techniques: Sec. 5.4, how its historical data was made
// Bench    bench/search/tsp.cpp
// tested by search/compose/technique_text.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/searcher.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// "A", OpenTuner's default: Nelder-Mead, differential evolution, and two greedy mutations.
[[nodiscard]] std::vector<technique> technique_set_a();

/// "pso-ga-de": three particle swarms and three genetic searches, with the crossovers OX1, PMX and
/// PX, and differential evolution.
[[nodiscard]] std::vector<technique> technique_set_pgd();

/// "D": Nelder-Mead, differential evolution, pattern search, particle swarm.
[[nodiscard]] std::vector<technique> technique_set_d();

/// For spaces of orders, in which the sets above make no small moves: climbs that move one item,
/// move a section of up to half of the items, or reverse a section. The best climb differs between
/// objectives, so a bandit over them gains more than one climb with all three moves. Without swaps:
/// on tours they cost more than they gain (bench/search/tsp.cpp). Parameters that are no
/// permutations change as in any climb.
[[nodiscard]] std::vector<technique> technique_set_orders();

/// The set that suits the structure of a space. Only orders vary: technique_set_orders(). Orders
/// and other parameters vary: set A and a climb, with random_move for orders, which the operators
/// of set A would draw anew. In other cases: technique_set_a(). For selectors, the techniques move,
/// cross and pull a whole selector (selector_move, selector_cross, selector_swarm), because a
/// cut-off alone means little; other parameters change as in the sets above.
[[nodiscard]] std::vector<technique> technique_set_for(description const& space);

/// All techniques of this folder with their usual settings: bases with their default operators,
/// genetic and swarm searches with each crossover, simplices with each start, and so on.
[[nodiscard]] std::vector<technique> technique_library();

/// A random technique: a base, and an operator with random settings for each kind of parameters in
/// the space.
/// @param space  bound
[[nodiscard]] technique random_technique(random_engine& engine, description const& space,
                                         vocabulary const& known = {});

/// A random bandit over five techniques, about half of them from `library`; window 500, 200 or 100,
/// exploration 0.05, 0.15 or 0.45.
/// Source  Wu 2015, Sec. 5.4
/// @param library  at least one
[[nodiscard]] technique random_bandit(random_engine& engine, description const& space,
                                      std::vector<technique> const& library,
                                      vocabulary const& known = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/technique_sets.ipp>
#endif
