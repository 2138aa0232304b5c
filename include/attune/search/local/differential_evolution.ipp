// attune/search/local/differential_evolution.ipp - makes trials from differences.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/differential_evolution.hpp>
#include <attune/search/local/moves.hpp>
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

} // namespace detail

ATTUNE_INLINE
differential_evolution::differential_evolution(chain_of_trees space, std::uint64_t seed,
                                               differential_evolution_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::evolve(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
