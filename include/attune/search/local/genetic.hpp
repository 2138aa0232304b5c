// attune/search/local/genetic.hpp - a population that recombines and mutates.
// SPDX-License-Identifier: MIT
// Source   Holland 1975; uniform crossover of Syswerda 1989; parents by rank; parents and children
//          compete (mu + lambda). Own: children that break a constraint become the nearest valid
//          configuration instead of being thrown away.
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct genetic_options {
    std::size_t population = 20;
    std::size_t children = 10; ///< per generation
    double mutation = 0.1;     ///< chance that a parameter of a child is drawn anew
    double selection = 2.5;    ///< >= 1; 1: every parent equally likely, more: the best ones
};

/// Each generation mixes pairs of good configurations parameter by parameter, draws some parameters
/// anew, and keeps the best of parents and children.
class genetic : public stepwise_searcher {
public:
    explicit genetic(chain_of_trees space, std::uint64_t seed = 0,
                     genetic_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/genetic.ipp>
#endif
