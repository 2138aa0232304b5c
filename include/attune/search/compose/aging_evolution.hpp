// attune/search/compose/aging_evolution.hpp - a population whose oldest member dies, however good it is.
// SPDX-License-Identifier: MIT
// Source   Real, Aggarwal, Huang, Le, "Regularized Evolution for Image Classifier Architecture
//          Search", AAAI 2019, Algorithm 1. Own: a known child is made again, up to 20 times,
//          because its outcome is known; a smaller population, because the paper's 100 members, 25
//          of them sampled, are for 20 000 evaluations
// Bench    bench/search/synthetic.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace search {

/// The best of `sample` random members, drawn with replacement, gets a child that differs in one
/// parameter. The child always joins, and the oldest member leaves. So a lucky value lasts for
/// `population` children, and longer only if its children confirm it.
struct aging_evolution {
    static constexpr std::string_view name = "regularized_evolution";
    static constexpr std::size_t promise = 2;
    std::size_t population = 20; ///< >= 1; P of the paper
    std::size_t sample = 5;      ///< members of a tournament; S of the paper. 0 is 1: any member

    static void settings(auto& self, auto const& visit)
    {
        visit("population", self.population);
        visit("sample", self.sample);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    /// The best member of a tournament, the first of equals, twice.
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t,
                                                    random_engine& engine) const
    {
        population_member const* winner = nullptr;
        std::size_t drawn = 0;
        do {
            population_member const& one = all.members[uniform_below(engine, all.members.size())];
            if (winner == nullptr || one.value < winner->value) winner = &one;
        } while (++drawn < sample);
        return {&winner->where, &winner->where};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, 0, engine);
    }
    /// Replaces members[turn], the oldest one, by the child.
    void update(population_state& all, std::size_t turn, valued_point const& child) const
    {
        all.members[turn] = {child.where, child.value, child.where, child.value};
    }
    /// One change: a parameter, or one element of an array, drawn anew; two items of a permutation
    /// swapped.
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double>) const
    {
        if (child.is_order())
            random_swap{}(child, others, engine);
        else
            child.draw(engine);
    }
};

} // namespace search

/// Regularised evolution, also called aging evolution:
/// options.search = attune::search_with<attune::regularized_evolution>(), or with settings:
/// attune::search_with<...>(attune::search::aging_evolution{.population = 50, .sample = 10}).
using regularized_evolution = search::composed<search::aging_evolution>;

} // namespace attune::inline ATTUNE_ABI
