// attune/search/local/particle_swarm.ipp - moves the particles.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/particle_swarm.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/search/local/unit_embedding.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

struct particle {
    std::vector<double> at;
    std::vector<double> velocity;
    std::vector<double> best;
    double best_value = failed_value;
};

inline void fly(particle& p, std::vector<double> const& goal, particle_swarm_options const& o,
                random_engine& engine)
{
    for (std::size_t d = 0; d < p.at.size(); ++d) {
        double const own = o.own * uniform_unit(engine) * (p.best[d] - p.at[d]);
        double const swarm = o.swarm * uniform_unit(engine) * (goal[d] - p.at[d]);
        p.velocity[d] = std::clamp(o.inertia * p.velocity[d] + own + swarm, -0.5, 0.5);
        p.at[d] = std::clamp(p.at[d] + p.velocity[d], 0.0, 1.0);
    }
}

/// Particles at the configurations `places`, with random velocities.
[[nodiscard]] inline std::vector<particle>
scatter(std::vector<point> const& places, unit_embedding const& cube, random_engine& engine)
{
    std::vector<particle> out(places.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].at = out[i].best = cube.embed(places[i]);
        for (std::size_t d = 0; d < cube.dimensions(); ++d)
            out[i].velocity.push_back(0.5 * (uniform_unit(engine) - 0.5));
    }
    return out;
}

inline search_process swarm(trials& t, particle_swarm_options o)
{
    moves const near(t.space());
    unit_embedding const cube(t.space().describe());
    std::vector<double> goal;
    double goal_value = failed_value;
    for (;;) {
        std::vector<point> round = fresh_points(t, o.particles);
        std::vector<particle> all = scatter(round, cube, t.engine());
        if (goal.empty()) goal = all.front().at;
        // After a whole round without a new configuration, scatter the swarm again.
        for (bool is_new = true; is_new;) {
            std::size_t const before = t.seen_count();
            std::vector<double> const value = co_await t.evaluate(round);
            is_new = t.seen_count() > before;
            for (std::size_t i = 0; i < all.size(); ++i) {
                particle& p = all[i];
                p.at = cube.embed(round[i]);
                if (value[i] < p.best_value) {
                    p.best = p.at;
                    p.best_value = value[i];
                }
                if (value[i] < goal_value) {
                    goal = p.at;
                    goal_value = value[i];
                }
            }
            for (std::size_t i = 0; i < all.size(); ++i) {
                fly(all[i], goal, o, t.engine());
                round[i] = near.repaired(cube.decode(all[i].at), t.engine());
            }
        }
    }
}

} // namespace detail

ATTUNE_INLINE particle_swarm::particle_swarm(chain_of_trees space, std::uint64_t seed,
                                             particle_swarm_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::swarm(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
