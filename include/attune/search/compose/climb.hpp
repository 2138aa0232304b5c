// attune/search/compose/climb.hpp - one configuration, and the small changes of it that are not worse.
// SPDX-License-Identifier: MIT
// Bench    bench/search/tsp.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/base.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// A hill climber: the child of the one member replaces it if it is not worse, so that it wanders
/// over configurations of equal value. Where another technique has found a better one, the child is
/// made of that. Equal to a plain hill climber where it searches alone, with one operator.
struct climb {
    static constexpr std::string_view name = "climb";
    static constexpr std::size_t promise = 2;
    double change_rate = 0; ///< chance of each parameter besides the one that always changes

    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("change_rate", self.change_rate);
    }
    [[nodiscard]] std::size_t members() const noexcept { return 1; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t,
                                                    random_engine&) const
    {
        population_member const& own = all.members.front();
        point const* const from = all.best_value < own.value ? &all.best : &own.where;
        return {from, from};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, change_rate, engine);
    }
    void update(population_state& all, std::size_t, valued_point const& child) const
    {
        replace_if_better(all.members.front(), child);
    }
    /// random_move of a permutation, normal_mutation of others
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double>) const
    {
        if (child.is_order())
            random_move{}(child, others, engine);
        else
            normal_mutation{}(child, others, engine);
    }
};

} // namespace attune::inline ATTUNE_ABI::search
