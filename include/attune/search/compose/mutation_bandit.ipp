// attune/search/compose/mutation_bandit.ipp - chooses operators by credit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/mutation_bandit.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/meta/credit_window.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// An operator that mutates, and the genes that have it.
struct mutation_choice {
    operator_entry with;
    std::vector<std::size_t> genes;
};

/// The mutations that apply to some gene.
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
        // The best by score; of equals a random one.
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
