// attune/search/local/populations.hpp - populations: a genetic algorithm, differential evolution, a particle swarm.
// SPDX-License-Identifier: MIT
// tested by search/local/stepwise.cpp
// Source   genetic: Holland 1975; uniform crossover of Syswerda 1989; parents by rank; parents and
//          children compete (mu + lambda).
// Source   differential_evolution: Storn & Price 1997, DE/best/1/bin with F = 0.5 and CR = 0.9,
//          their choice for fast convergence
// Source   particle_swarm: Kennedy & Eberhart 1995 with the inertia of Shi & Eberhart 1998
// Bench    bench/search/replay.cpp
//
// differential_evolution and particle_swarm move over tables, categories, permutations and tiles
// through unit_embedding. Own: a child, trial vector or place that breaks a constraint becomes the
// nearest valid configuration, and is not discarded.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Options of genetic.
struct genetic_options {
    std::size_t population = 20;
    std::size_t children = 10; ///< per generation
    double mutation = 0.1;     ///< chance that a parameter of a child is drawn anew
    double selection = 2.5;    ///< 1: all parents equally likely; above 1: better ones more
};

/// Each generation mixes pairs of good configurations parameter by parameter, draws some parameters
/// anew, and keeps the best of parents and children.
class genetic : public stepwise_searcher {
public:
    explicit genetic(chain_of_trees space, std::uint64_t seed = 0,
                     genetic_options const& options = {});
};

/// Options of differential_evolution.
struct differential_evolution_options {
    std::size_t population = 16;
    double difference = 0.5; ///< F: how much of a difference is added
    double crossover = 0.9;  ///< CR: chance that a coordinate comes from the mutant
};

/// Adds the difference of two members to the best member, and mixes the sum with a third member.
/// The mixture replaces the third member if it is better.
class differential_evolution : public stepwise_searcher {
public:
    explicit differential_evolution(chain_of_trees space, std::uint64_t seed = 0,
                                    differential_evolution_options const& options = {});
};

/// Options of particle_swarm.
struct particle_swarm_options {
    std::size_t particles = 20;
    double inertia = 0.5; ///< share of its velocity that a particle keeps
    double own = 1.5;     ///< pull towards the particle's best place
    double swarm = 1.5;   ///< pull towards the swarm's best place
};

/// Every particle keeps part of its velocity, and is pulled towards its own best place and the
/// swarm's.
class particle_swarm : public stepwise_searcher {
public:
    explicit particle_swarm(chain_of_trees space, std::uint64_t seed = 0,
                            particle_swarm_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/populations.ipp>
#endif
