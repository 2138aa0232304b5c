// attune/search/compose/closed.ipp - takes the steps; chooses the mutation.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// `from` with each gene one step up, and one down: numbers by `step` of their range, at least to
/// the next value; genes of other kinds mutated, twice. All are valid, and no two are equal.
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
        // Starts from the best of the whole search, if another technique found it; else at random.
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

namespace detail {

/// An operator that mutates, and the genes that have it.
struct mutation_choice {
    operator_entry with;
    std::vector<std::size_t> genes;
};

/// The mutations that apply to at least one gene.
[[nodiscard]] inline std::vector<mutation_choice> mutations_of(genome const& genes,
                                                               point const& anywhere)
{
    std::vector<mutation_choice> out;
    auto const add = [&]<class Op>(Op op) {
        mutation_choice one{
            {row_of_kind<typename kind_of_operator<Op>::type>(), any_operator(std::move(op))}, {}};
        for (std::size_t g = 0; g < genes.size(); ++g)
            if (one.with.kind.holds(genes.of(anywhere, g))) one.genes.push_back(g);
        if (!one.genes.empty()) out.push_back(std::move(one));
    };
    add(randomize{});
    add(normal_mutation{});
    add(normal_mutation{0.01});
    add(scale{2});
    add(scale{0.5});
    add(flip{});
    add(small_random_change{});
    add(random_swap{});
    add(random_invert{});
    add(random_shift{0});
    add(random_shift{});
    add(random_reversal{});
    add(random_move{});
    return out;
}

} // namespace detail

ATTUNE_INLINE search_process mutation_bandit::run(trials& t, mutation_bandit with)
{
    constexpr int most_tries = 10; // to make an unseen child
    detail::genome const genes(t.space(), {});
    point const first = t.best() ? *t.best() : t.fresh();
    point from = first;
    double height = co_await t.evaluate(first);
    std::vector<detail::mutation_choice> const all = detail::mutations_of(genes, first);
    attune::detail::credit_window credit(all.size(), std::max<std::size_t>(with.window, 1));
    std::vector<double> memory(t.space().describe().parameters.size(), 0);
    while (!all.empty()) {
        // The best by score; a random one of equals.
        std::size_t chosen = 0;
        double highest = -1;
        std::size_t equals = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            double const score = credit.score(i, with.exploration);
            equals = score > highest ? 1 : equals + (score == highest ? 1 : 0);
            bool const takes =
                score > highest || (score == highest && uniform_below(t.engine(), equals) == 0);
            if (takes) chosen = i;
            highest = std::max(highest, score);
        }
        if (t.best() && t.best_value() < height) {
            from = *t.best();
            height = t.best_value();
        }
        point child = from;
        for (int tries = 0; tries < most_tries; ++tries) {
            std::vector<std::size_t> const& of = all[chosen].genes;
            std::size_t const g = of[uniform_below(t.engine(), of.size())];
            child = from;
            std::array const others{genes.of(std::as_const(from), g)};
            gene const to = genes.of(child, g);
            all[chosen].with.with(to, others, t.engine(), std::span(memory).first(to.size()));
            child = genes.valid(std::move(child), from, t.engine());
            if (!t.has_seen(child)) break;
        }
        double const best = t.best_value();
        double const value = co_await t.evaluate(child);
        credit.push(chosen, value < best);
        if (value > height) continue;
        from = std::move(child);
        height = value;
    }
    for (;;) {
        point const only = t.fresh(); // nothing varies
        static_cast<void>(co_await t.evaluate(only));
    }
}

} // namespace attune::inline ATTUNE_ABI::search
