// attune/search/compose/technique_sets.ipp - names the members of the sets; draws techniques.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/group.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/operator.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// The kinds of parameters in a space: the closest kind of each gene.
[[nodiscard]] inline std::vector<kind_row const*> kinds_in(description const& space,
                                                           vocabulary const& known)
{
    std::vector<kind_row const*> out;
    point const anywhere(space.parameters.size());
    for (std::uint32_t p = 0; p < space.parameters.size();) {
        selector_description const* const selector = space.selector_at(p);
        group_description const* const group = space.group_of(p);
        std::vector<std::uint32_t> whole(selector != nullptr ? selector->count()
                                         : group != nullptr  ? group->count
                                                             : 1);
        for (std::uint32_t& one : whole)
            one = p++;
        gene_view const gene(space, whole, anywhere);
        kind_row const* closest = nullptr;
        for (kind_row const& kind : known.kinds())
            if ((closest == nullptr || kind.lineage.size() > closest->lineage.size()) &&
                kind.holds(gene))
                closest = &kind;
        if (closest != nullptr && std::find(out.begin(), out.end(), closest) == out.end())
            out.push_back(closest);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE technique random_technique(random_engine& engine, description const& space,
                                         vocabulary const& known)
{
    auto const& bases = known.bases();
    detail::shared_base base;
    (void)bases[uniform_below(engine, bases.size())].make({}, base);
    std::vector<detail::kind_row const*> const kinds = detail::kinds_in(space, known);
    for (;;) {
        detail::composition what{base, {}};
        bool changes = kinds.empty();
        for (detail::kind_row const* const kind : kinds) {
            std::vector<detail::any_operator> all;
            std::vector<std::string> names;
            for (detail::operator_row const& op : known.operators()) {
                if (!detail::has_operator(*kind, op)) continue;
                detail::any_operator one = op.draw(engine);
                if (one.needs() > base->promise()) continue;
                all.push_back(std::move(one));
                names.push_back(op.name);
            }
            std::size_t const chosen = uniform_below(engine, all.size());
            changes = changes || names[chosen] != noop::name;
            what.operators.push_back({*kind, std::move(all[chosen])});
        }
        // A technique that changes nothing is useless.
        if (changes) return detail::technique_of_composition(std::move(what));
    }
}

ATTUNE_INLINE technique random_bandit(random_engine& engine, description const& space,
                                      std::vector<technique> const& library,
                                      vocabulary const& known)
{
    constexpr std::array<std::size_t, 3> windows{500, 200, 100};
    constexpr std::array<double, 3> explorations{0.05, 0.15, 0.45};
    auc_bandit_options options;
    options.window = windows[uniform_below(engine, windows.size())];
    options.exploration = explorations[uniform_below(engine, explorations.size())];
    std::vector<technique> among;
    while (among.size() < 5)
        if (uniform_below(engine, 2) == 0)
            among.push_back(library[uniform_below(engine, library.size())]);
        else
            among.push_back(random_technique(engine, space, known));
    return auc_bandit_of(std::move(among), options);
}

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

/// Kinds of parameters that vary in a space.
struct varied_kinds {
    std::size_t orders = 0;
    std::size_t others = 0; ///< in no selector
};
[[nodiscard]] inline varied_kinds varied_kinds_of(description const& space)
{
    varied_kinds out;
    for (attune::detail::named_value const& value : attune::detail::named_values(space)) {
        parameter_description const& p = space.parameters[value.first];
        bool const is_in_selector =
            std::any_of(space.selectors.begin(), space.selectors.end(), [&](auto const& s) {
                return value.first - s.first < s.count(); // unsigned: false before s.first
            });
        if (attune::detail::has_order(space, value.first))
            ++out.orders;
        else if (!is_in_selector && (p.traits().is_interval || p.value_count() > 1))
            ++out.others;
    }
    return out;
}

/// Techniques for spaces with selectors.
[[nodiscard]] inline std::vector<technique> techniques_for_selectors(varied_kinds const& varied)
{
    operators<permutation<random_move>, selector<selector_move>> const by_moves;
    operators<permutation<random_move>, selector<selector_cross>> const by_crossing;
    uniform_greedy_mutation uniform;
    normal_greedy_mutation normal;
    uniform.mutation_rate = 0.1;
    normal.mutation_rate = 0.3;
    std::vector<technique> out{technique_of(de_alt{}, by_crossing), technique_of(uniform, by_moves),
                               technique_of(normal, by_moves),
                               technique_of(pso{}, operators<selector<selector_swarm>>{}),
                               technique_of(climb{}, operators<selector<selector_move>>{})};
    if (varied.others > 0) out.push_back(technique_of(nelder_mead{}));
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<technique> technique_set_a()
{
    return {technique_of(de_alt{}), detail::uniform_mutation_of(0.1),
            detail::normal_mutation_of(0.3), technique_of(nelder_mead{})};
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
    return {technique_of(nelder_mead{}), technique_of(de{}), technique_of(pattern_search{}),
            technique_of(pso{})};
}

ATTUNE_INLINE std::vector<technique> technique_set_orders()
{
    std::vector<technique> out;
    for (double const strength : {0.0, 0.5}) {
        operators<permutation<random_shift>> by_shifts;
        std::get<0>(by_shifts.entries).with.strength = strength;
        out.push_back(technique_of(climb{}, by_shifts));
    }
    out.push_back(technique_of(climb{}, operators<permutation<random_reversal>>{}));
    return out;
}

ATTUNE_INLINE std::vector<technique> technique_set_for(description const& space)
{
    detail::varied_kinds const varied = detail::varied_kinds_of(space);
    if (!space.selectors.empty()) return detail::techniques_for_selectors(varied);
    if (varied.orders == 0) return technique_set_a();
    if (varied.others == 0) return technique_set_orders();
    operators<permutation<random_move>> const by_moves;
    uniform_greedy_mutation uniform;
    normal_greedy_mutation normal;
    uniform.mutation_rate = 0.1;
    normal.mutation_rate = 0.3;
    return {technique_of(de_alt{}, by_moves), technique_of(uniform, by_moves),
            technique_of(normal, by_moves), technique_of(nelder_mead{}), technique_of(climb{})};
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
                               technique_of(climb{}),
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
