// attune/search/local/differential_evolution.hpp - a population that moves by differences of its members.
// SPDX-License-Identifier: MIT
// Source   Storn & Price 1997, DE/best/1/bin with F = 0.5 and CR = 0.9, their choice for fast
//          convergence; over tables, categories, permutations and tiles through unit_embedding.
//          Own: a trial that breaks a constraint becomes the nearest valid configuration.
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct differential_evolution_options {
    std::size_t population = 16;
    double difference = 0.5; ///< F: how much of a difference is added
    double crossover = 0.9;  ///< CR: chance that a coordinate comes from the mutant
};

/// Adds the difference of two members to the best member and mixes the result with a third one,
/// which it replaces if it is better.
class differential_evolution : public stepwise_searcher {
public:
    explicit differential_evolution(chain_of_trees space, std::uint64_t seed = 0,
                                    differential_evolution_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/differential_evolution.ipp>
#endif
