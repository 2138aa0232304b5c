// attune/search/compose/unit_steps.ipp - takes the steps.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/unit_steps.hpp>
#include <attune/search/local/starts.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// `from` with each gene a step up, and down: numbers by `step` of their range, at least to the
/// next value; genes of other kinds mutated, twice. Valid, none equal to `from`, each once.
[[nodiscard]] inline std::vector<point> steps_of_all(genome const& genes, point const& from,
                                                     double step, random_engine& engine)
{
    std::vector<point> out;
    for (std::size_t const g : genes.active_in(from))
        for (int const side : {1, -1}) {
            point to = from;
            gene const one = genes.of(to, g);
            if (!one.is_number()) {
                normal_mutation{}(one, {}, engine);
            } else {
                one.set_share(one.share() + side * step);
                std::uint32_t const before = from[one.index()].index;
                if (!one.is_real() && one.where().index == before) {
                    std::uint32_t const last = one.parameter().value_count() - 1;
                    if (side > 0 ? before == last : before == 0) continue;
                    one.set({side > 0 ? before + 1 : before - 1, 0});
                }
            }
            to = genes.valid(std::move(to), from, engine);
            if (to != from && std::find(out.begin(), out.end(), to) == out.end())
                out.push_back(std::move(to));
        }
    return out;
}

} // namespace detail

ATTUNE_INLINE search_process pattern_search::run(trials& t, pattern_search with)
{
    constexpr int patience = 4; // rounds without a new configuration
    detail::genome const genes(t.space(), {});
    point centre = t.fresh();
    double value = co_await t.evaluate(centre);
    for (;;) {
        double step = with.step;
        for (int vain = 0; vain < patience && step >= with.least_step;) {
            std::vector<point> round = detail::steps_of_all(genes, centre, step, t.engine());
            if (round.empty()) break;
            std::size_t const before = t.seen_count();
            std::vector<double> const values = co_await t.evaluate(round);
            vain = t.seen_count() > before ? 0 : vain + 1;
            valued_point const best = attune::detail::best_of(round, values);
            if (best.value < value) {
                centre = best.where;
                value = best.value;
            } else
                step /= 2;
        }
        // From the best of the whole search, if another technique found it; else anywhere.
        bool const is_behind = t.best() && t.best_value() < value;
        centre = is_behind ? *t.best() : t.fresh();
        value = co_await t.evaluate(centre);
    }
}

ATTUNE_INLINE search_process pseudo_annealing::run(trials& t, pseudo_annealing with)
{
    constexpr int patience = 10;
    detail::genome const genes(t.space(), {});
    point state = t.fresh();
    double value = co_await t.evaluate(state);
    for (;;) {
        int vain = 0;
        for (std::size_t i = 0; i < with.rounds && vain < patience; ++i) {
            double const left = 1 - static_cast<double>(i) /
                                        static_cast<double>(std::max<std::size_t>(with.rounds, 1));
            double const temperature = with.cold + (with.hot - with.cold) * left;
            double const step = std::exp(-20 / (temperature + 1));
            std::vector<point> round = detail::steps_of_all(genes, state, step, t.engine());
            round.push_back(state);
            std::size_t const before = t.seen_count();
            std::vector<double> const values = co_await t.evaluate(round);
            vain = t.seen_count() > before ? 0 : vain + 1;
            std::vector<std::size_t> order(round.size());
            for (std::size_t k = 0; k < order.size(); ++k)
                order[k] = k;
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return values[a] < values[b] || (values[a] == values[b] && a < b);
            });
            std::size_t chosen = 0;
            while (chosen + 1 < order.size() && temperature > 0) {
                double const excess = t.excess(values[order[chosen]], values[order[chosen + 1]]);
                if (uniform_unit(t.engine()) >= std::exp(-with.scaling * excess / temperature))
                    break;
                ++chosen;
            }
            state = round[order[chosen]];
            value = values[order[chosen]];
        }
        bool const is_behind = t.best() && t.best_value() < value;
        state = is_behind && vain < patience ? *t.best() : t.fresh();
        value = co_await t.evaluate(state);
    }
}

} // namespace attune::inline ATTUNE_ABI::search
