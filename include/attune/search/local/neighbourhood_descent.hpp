// attune/search/local/neighbourhood_descent.hpp - descent through larger and larger neighbourhoods.
// SPDX-License-Identifier: MIT
// Source   variable neighbourhood descent of Mladenovic & Hansen 1997; tabu list of Glover 1986;
//          candidates ranked by near outcomes and recombined elites as in the generated HybridVNDX
//          of Kernel Tuner. Own: all comparisons relative, so that they have no unit.
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct neighbourhood_descent_options {
    std::size_t starts = 10;     ///< random configurations, of which the best is the start
    std::size_t tries = 2;       ///< in each neighbourhood before the next larger one
    std::size_t candidates = 64; ///< among which these are chosen
    std::size_t neighbours = 5;  ///< nearest outcomes that rank a candidate; 0: random order
    std::size_t tabu = 20;       ///< moves for which a configuration is not entered again
    std::size_t patience = 3;    ///< uphill moves without a new best before a restart
};

/// Tries the next values of each parameter, then all values of each, then two parameters at once,
/// then mixtures with the best configurations. After an improvement it starts again with the first
/// neighbourhood; without one it moves to the best known neighbour that is not tabu.
class neighbourhood_descent : public stepwise_searcher {
public:
    explicit neighbourhood_descent(chain_of_trees space, std::uint64_t seed = 0,
                                   neighbourhood_descent_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/neighbourhood_descent.ipp>
#endif
