// attune/search/local/particle_swarm.hpp - particles that move towards the best places found.
// SPDX-License-Identifier: MIT
// Source   Kennedy & Eberhart 1995 with the inertia of Shi & Eberhart 1998; over tables,
//          categories, permutations and tiles through unit_embedding. Own: a place that breaks a
//          constraint stands for the nearest valid configuration.
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct particle_swarm_options {
    std::size_t particles = 20;
    double inertia = 0.5; ///< share of its velocity that a particle keeps
    double own = 1.5;     ///< pull towards the particle's best place
    double swarm = 1.5;   ///< pull towards the swarm's best place
};

/// Every particle keeps part of its velocity and is pulled towards its own best place and that of
/// the swarm.
class particle_swarm : public stepwise_searcher {
public:
    explicit particle_swarm(chain_of_trees space, std::uint64_t seed = 0,
                            particle_swarm_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/particle_swarm.ipp>
#endif
