// attune/search/compose/vocabulary.ipp - lists the words of attune.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/climb.hpp>
#include <attune/search/compose/mutation_bandit.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/unit_steps.hpp>
#include <attune/search/compose/vocabulary.hpp>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

template <class... T>
void add_all(vocabulary& to)
{
    (to.add<T>(), ...);
}

} // namespace detail

ATTUNE_INLINE vocabulary::vocabulary()
{
    detail::add_all<any_kind, number_kind, real_kind, whole_kind, boolean_kind, categorical_kind,
                    tile_kind, permutation_kind, selector_kind, array_kind>(*this);
    detail::add_all<noop, randomize, stochastic_mix, swarm, set_linear, normal_mutation>(*this);
    detail::add_all<scale, difference, sum, number_swarm, flip, boolean_swarm>(*this);
    detail::add_all<array_cross, array_swarm, array_swarm_parallel>(*this);
    detail::add_all<small_random_change, random_swap, random_invert, random_shift, random_move>(
        *this);
    detail::add_all<random_reversal>(*this);
    detail::add_all<permutation_cross, px, pmx, cx, ox1, ox3, permutation_swarm>(*this);
    detail::add_all<cut_off_shift, range_swap, range_redraw, range_split, range_removal>(*this);
    detail::add_all<selector_move, selector_cross, selector_swarm>(*this);
    detail::add_all<greedy, random_three_parents, de, de_alt>(*this);
    detail::add_all<uniform_greedy_mutation, normal_greedy_mutation, ga, gga, pso>(*this);
    detail::add_all<aging_evolution, climb>(*this);
    detail::add_all<pure_random, nelder_mead, torczon>(*this);
    detail::add_all<pattern_search, pseudo_annealing, mutation_bandit>(*this);
    detail::add_all<annealing_settings, coordinate_descent_settings, genetic_settings>(*this);
    detail::add_all<differential_evolution_settings, particle_swarm_settings>(*this);
    detail::add_all<local_search_settings, neighbourhood_descent_settings>(*this);
}

ATTUNE_INLINE vocabulary& vocabulary::add_search(technique one)
{
    std::string name = one.name;
    closed_.push_back({std::move(name),
                       [one = std::move(one)](detail::setting_texts const& from,
                                              technique& out) -> std::optional<std::string> {
                           out = one;
                           if (from.named.empty()) return {};
                           return "'" + from.named.front().first + "' is none of its settings";
                       }});
    return *this;
}

} // namespace attune::inline ATTUNE_ABI::search
