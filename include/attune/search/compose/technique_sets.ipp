// attune/search/compose/technique_sets.ipp - names the members of the sets.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/mutation_bandit.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/unit_steps.hpp>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline technique swarm_by(crossover how)
{
    pso out;
    out.how = how;
    return technique_of(out);
}
[[nodiscard]] inline technique genetic_by(crossover how)
{
    ga out;
    out.how = how;
    return technique_of(out);
}
[[nodiscard]] inline technique uniform_mutation_of(double rate)
{
    uniform_greedy_mutation out;
    out.mutation_rate = rate;
    return technique_of(out);
}
[[nodiscard]] inline technique normal_mutation_of(double rate)
{
    normal_greedy_mutation out;
    out.mutation_rate = rate;
    return technique_of(out);
}

} // namespace detail

ATTUNE_INLINE std::vector<technique> technique_set_a()
{
    return {technique_of(de_alt{}),
            detail::uniform_mutation_of(0.1),
            detail::normal_mutation_of(0.3),
            technique_of(nelder_mead{})};
}

ATTUNE_INLINE std::vector<technique> technique_set_pgd()
{
    std::vector<technique> out;
    for (crossover const how : {crossover::ox1, crossover::pmx, crossover::px})
        out.push_back(detail::swarm_by(how));
    for (crossover const how : {crossover::ox1, crossover::pmx, crossover::px})
        out.push_back(detail::genetic_by(how));
    out.push_back(technique_of(de_alt{}));
    return out;
}

ATTUNE_INLINE std::vector<technique> technique_set_d()
{
    return {technique_of(nelder_mead{}),
            technique_of(de{}),
            technique_of(pattern_search{}),
            technique_of(pso{})};
}

ATTUNE_INLINE std::vector<technique> technique_set_orders()
{
    operators<permutation<random_move>> const by_moves;
    return {technique_of(greedy{}, by_moves),
            technique_of(uniform_greedy_mutation{}, by_moves),
            technique_of(random_three_parents{}, by_moves),
            technique_of(uniform_greedy_mutation{}, operators<permutation<random_swap>>{}),
            detail::genetic_by(crossover::ox1),
            detail::genetic_by(crossover::pmx)};
}

ATTUNE_INLINE std::vector<technique> technique_library()
{
    std::vector<technique> out{technique_of(pure_random{}),
                               technique_of(greedy{}),
                               technique_of(random_three_parents{}),
                               technique_of(de{}),
                               technique_of(de_alt{}),
                               technique_of(gga{}),
                               technique_of(aging_evolution{}),
                               technique_of(pattern_search{}),
                               technique_of(pseudo_annealing{}),
                               technique_of(mutation_bandit{})};
    for (double const rate : {0.05, 0.1, 0.2, 0.3}) {
        out.push_back(detail::uniform_mutation_of(rate));
        out.push_back(detail::normal_mutation_of(rate));
    }
    for (crossover const how :
         {crossover::px, crossover::pmx, crossover::cx, crossover::ox1, crossover::ox3}) {
        out.push_back(detail::swarm_by(how));
        out.push_back(detail::genetic_by(how));
    }
    for (simplex_start const start :
         {simplex_start::random, simplex_start::right, simplex_start::regular}) {
        nelder_mead one;
        one.start = start;
        out.push_back(technique_of(one));
        torczon other;
        other.start = start;
        out.push_back(technique_of(other));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
