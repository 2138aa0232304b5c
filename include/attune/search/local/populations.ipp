// attune/search/local/populations.ipp - makes generations, mixes differences, moves particles.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/local/moves.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/local/unit_embedding.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A random index into a sorted population; lower ones are more likely.
[[nodiscard]] inline std::size_t ranked_place(std::size_t count, double selection,
                                              random_engine& engine)
{
    double const u = 1 - std::pow(1 - uniform_unit(engine), 1 / selection);
    return std::min(count - 1, static_cast<std::size_t>(u * static_cast<double>(count)));
}

[[nodiscard]] inline point child_of(point const& a, point const& b, moves const& near,
                                    double mutation, random_engine& engine)
{
    point child = a;
    for (std::uint32_t const p : near.varying()) {
        if (uniform_below(engine, 2) == 0) child[p] = b[p];
        if (uniform_unit(engine) < mutation)
            child[p] = moves::random_coordinate(near.space().describe().parameters[p], engine);
    }
    return near.repaired(child, engine);
}

inline search_process breed(trials& t, genetic_options o)
{
    moves const near(t.space());
    std::vector<point> round = fresh_points(t, o.population);
    std::vector<double> value = co_await t.evaluate(round);
    std::vector<valued_point> parents;
    for (;;) {
        for (std::size_t i = 0; i < round.size(); ++i)
            keep_best(parents, {round[i], value[i]}, std::max<std::size_t>(o.population, 1));
        round.clear();
        while (round.size() < std::max(o.children, t.batch())) {
            point child = t.fresh();
            for (int tries = 0; tries < 20; ++tries) {
                point const& a =
                    parents[ranked_place(parents.size(), o.selection, t.engine())].where;
                point const& b =
                    parents[ranked_place(parents.size(), o.selection, t.engine())].where;
                point mixed = child_of(a, b, near, o.mutation, t.engine());
                bool const is_new = !t.has_seen(mixed) &&
                                    std::find(round.begin(), round.end(), mixed) == round.end();
                if (!is_new) continue;
                child = std::move(mixed);
                break;
            }
            round.push_back(std::move(child));
        }
        value = co_await t.evaluate(round);
    }
}

/// A trial vector for member `target`.
[[nodiscard]] inline std::vector<double>
differential_trial(std::vector<std::vector<double>> const& at, std::size_t target, std::size_t best,
                   differential_evolution_options const& o, random_engine& engine)
{
    std::vector<double> const& plus = at[uniform_below(engine, at.size())];
    std::vector<double> const& minus = at[uniform_below(engine, at.size())];
    std::vector<double> out = at[target];
    std::size_t const always = uniform_below(engine, out.size());
    for (std::size_t d = 0; d < out.size(); ++d) {
        if (d != always && uniform_unit(engine) >= o.crossover) continue;
        double v = at[best][d] + o.difference * (plus[d] - minus[d]);
        if (v < 0) v = std::min(1.0, -v); // reflect at the boundary
        if (v > 1) v = std::max(0.0, 2 - v);
        out[d] = v;
    }
    return out;
}

inline search_process evolve(trials& t, differential_evolution_options o)
{
    constexpr int most_tries = 5; // to find an unseen trial
    moves const near(t.space());
    unit_embedding const cube(t.space().describe());
    for (;;) {
        std::vector<point> round = fresh_points(t, o.population);
        if (t.best()) round.push_back(*t.best());
        std::vector<double> value = co_await t.evaluate(round);
        std::vector<std::vector<double>> at;
        for (point const& p : round)
            at.push_back(cube.embed(p));
        // After a whole round without a new configuration, restart the population.
        for (bool is_new = true; is_new;) {
            std::size_t const best = static_cast<std::size_t>(
                std::min_element(value.begin(), value.end()) - value.begin());
            for (std::size_t target = 0; target < at.size(); ++target)
                for (int tries = 0; tries < most_tries; ++tries) {
                    round[target] = near.repaired(
                        cube.decode(differential_trial(at, target, best, o, t.engine())),
                        t.engine());
                    if (!t.has_seen(round[target])) break;
                }
            std::size_t const before = t.seen_count();
            std::vector<double> const tried = co_await t.evaluate(round);
            is_new = t.seen_count() > before;
            for (std::size_t i = 0; i < at.size(); ++i) {
                if (tried[i] > value[i]) continue;
                value[i] = tried[i];
                at[i] = cube.embed(round[i]);
            }
        }
    }
}

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

ATTUNE_INLINE
genetic::genetic(chain_of_trees space, std::uint64_t seed, genetic_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::breed(t, options); })
{
}

ATTUNE_INLINE
differential_evolution::differential_evolution(chain_of_trees space, std::uint64_t seed,
                                               differential_evolution_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::evolve(t, options); })
{
}

ATTUNE_INLINE particle_swarm::particle_swarm(chain_of_trees space, std::uint64_t seed,
                                             particle_swarm_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::swarm(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
