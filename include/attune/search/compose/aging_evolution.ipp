// attune/search/compose/aging_evolution.ipp - tournaments and single mutations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/order_operators.hpp>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE std::vector<point const*>
aging_evolution::parents(population_state const& all, std::size_t, random_engine& engine) const
{
    population_member const* winner = nullptr;
    std::size_t drawn = 0;
    do {
        population_member const& one = all.members[uniform_below(engine, all.members.size())];
        if (winner == nullptr || one.value < winner->value) winner = &one;
    } while (++drawn < sample);
    return {&winner->where, &winner->where};
}

ATTUNE_INLINE void aging_evolution::update(population_state& all, std::size_t turn,
                                           valued_point const& child) const
{
    all.members[turn] = {child.where, child.value, child.where, child.value};
}

ATTUNE_INLINE void aging_evolution::by_default(gene child, other_parents others,
                                               random_engine& engine, std::span<double>) const
{
    if (child.is_order())
        random_swap{}(child, others, engine);
    else
        child.draw(engine);
}

} // namespace attune::inline ATTUNE_ABI::search
