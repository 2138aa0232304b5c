// attune/search/compose/bases.ipp - chooses parents and keeps populations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/compose/bases.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline population_member const& random_member(population_state const& all,
                                                            random_engine& engine)
{
    return all.members[uniform_below(engine, all.members.size())];
}

/// The child replaces the worst member, the first of equals, if it is not worse.
inline void replace_worst(population_state& all, valued_point const& child)
{
    auto const worst =
        std::max_element(all.members.begin(), all.members.end(),
                         [](auto const& a, auto const& b) { return a.value < b.value; });
    replace_if_better(*worst, child);
}

/// Crosses the other parents: permutations by `how`; other parameters take one of both values.
inline void cross_kinds(gene child, other_parents others, crossover how, double strength,
                        random_engine& engine)
{
    if (child.is_order())
        permutation_cross{how, strength}(child, others, engine);
    else if (child.is_array())
        array_cross{strength}(child, others, engine);
    else
        child.copy(others[uniform_below(engine, 2)]);
}

} // namespace detail

ATTUNE_INLINE std::vector<point const*>
greedy::parents(population_state const& all, std::size_t turn, random_engine& engine) const
{
    point const* const member = &all.members[turn].where;
    std::vector<point const*> out{member};
    while (out.size() < promise)
        out.push_back(uniform_unit(engine) < best_rate ? &all.best : member);
    return out;
}

ATTUNE_INLINE std::vector<point const*> random_three_parents::parents(population_state const& all,
                                                                      std::size_t turn,
                                                                      random_engine& engine) const
{
    std::vector<std::size_t> taken{turn};
    while (taken.size() < promise) {
        std::size_t const i = uniform_below(engine, all.members.size());
        bool const is_taken = std::find(taken.begin(), taken.end(), i) != taken.end();
        if (!is_taken || all.members.size() < promise) taken.push_back(i);
    }
    std::vector<point const*> out;
    for (std::size_t const i : taken)
        out.push_back(&all.members[i].where);
    if (uniform_unit(engine) < information_sharing) out[1 + uniform_below(engine, 3)] = &all.best;
    return out;
}

ATTUNE_INLINE std::vector<point const*> ga::parents(population_state const& all, std::size_t,
                                                    random_engine& engine) const
{
    auto const better_of_two = [&] {
        population_member const& a = detail::random_member(all, engine);
        population_member const& b = detail::random_member(all, engine);
        return a.value <= b.value ? &a.where : &b.where;
    };
    point const* const first = better_of_two();
    return {first, first, better_of_two()};
}
ATTUNE_INLINE void ga::update(population_state& all, std::size_t, valued_point const& child) const
{
    detail::replace_worst(all, child);
}
ATTUNE_INLINE void ga::by_default(gene child, other_parents others, random_engine& engine,
                                  std::span<double>) const
{
    detail::cross_kinds(child, others, how, strength, engine);
}
ATTUNE_INLINE void ga::afterwards(gene child, random_engine& engine) const
{
    if (uniform_unit(engine) >= mutation_rate) return;
    if (!child.is_order()) {
        normal_mutation{}(child, {}, engine);
    } else if (uniform_below(engine, 2) == 0) {
        item_order const items = child.order();
        std::size_t const count = 1 + uniform_below(engine, items.size());
        child.set_order(inverted(items, uniform_below(engine, items.size() - count + 1), count));
    } else
        child.set_order(with_small_changes(child.order(), 0.25, engine));
}

ATTUNE_INLINE std::vector<point const*> gga::parents(population_state const& all, std::size_t,
                                                     random_engine& engine) const
{
    bool const is_crossed = uniform_unit(engine) < crossover_rate;
    return {&all.best, &all.best,
            is_crossed ? &detail::random_member(all, engine).best_where : &all.best};
}
ATTUNE_INLINE void gga::update(population_state& all, std::size_t, valued_point const& child) const
{
    detail::replace_worst(all, child);
}
ATTUNE_INLINE void gga::by_default(gene child, other_parents others, random_engine& engine,
                                   std::span<double>) const
{
    detail::cross_kinds(child, others, how, strength, engine);
    normal_mutation{}(child, {}, engine);
}

ATTUNE_INLINE void pso::update(population_state& all, std::size_t turn,
                               valued_point const& child) const
{
    population_member& one = all.members[turn];
    one.where = child.where;
    one.value = child.value;
    if (child.value > one.best_value) return;
    one.best_where = child.where;
    one.best_value = child.value;
}
ATTUNE_INLINE void pso::by_default(gene child, other_parents others, random_engine& engine,
                                   std::span<double> memory) const
{
    if (child.is_order())
        permutation_swarm{inertia, pull_best, how, strength}(child, others, engine);
    else if (child.is_array())
        array_swarm_parallel{inertia, pull_best, pull_own}(child, others, engine, memory);
    else if (child.is_number())
        number_swarm{inertia, pull_best, pull_own}(child, others, engine, memory);
    else if (boolean_kind::holds(child))
        boolean_swarm{inertia, pull_best, pull_own}(child, others, engine, memory);
    else
        swarm{inertia, pull_best, pull_own}(child, others, engine);
}

} // namespace attune::inline ATTUNE_ABI::search
