// attune/search/compose/composed.ipp - makes children of populations.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/detail/genome.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

ATTUNE_INLINE std::string composition::text() const
{
    std::string out = base->text();
    for (operator_entry const& e : operators)
        out += " " + e.kind.name() + ";" + e.with.text();
    return out;
}

ATTUNE_INLINE void composition::settle()
{
    std::sort(operators.begin(), operators.end(),
              [](auto const& a, auto const& b) { return a.kind.name() < b.kind.name(); });
    if (base->members() < 1)
        throw error("a technique has no population", text(), "give it one member or more");
    constexpr std::size_t most_members = 65'536; // all are measured before the first child
    if (base->members() > most_members)
        throw error("a technique has a population of " + std::to_string(base->members()), text(),
                    "give it at most " + std::to_string(most_members) + " members");
    for (std::size_t i = 0; i < operators.size(); ++i) {
        operator_entry const& e = operators[i];
        if (e.with.needs() > base->promise())
            throw error("an operator of a technique needs " + std::to_string(e.with.needs()) +
                            " configurations, the base promises " + std::to_string(base->promise()),
                        e.kind.name() + ";" + e.with.text() + " in " + text(),
                        "choose another operator or another base");
        if (i > 0 && operators[i - 1].kind.name() == e.kind.name())
            throw error("a technique has two operators for parameters of one kind",
                        "'" + e.kind.name() + "' in " + text(), "leave one of them");
    }
}

/// The child of one member. @param memory one number per parameter
[[nodiscard]] inline point composed_child(composition const& of, genome const& genes,
                                          population_state const& all, std::size_t turn,
                                          std::span<double> memory, random_engine& engine)
{
    std::vector<point const*> const parents = of.base->parents(all, turn, engine);
    point child = *parents.front();
    std::vector<std::size_t> const active = genes.active_in(child);
    std::vector<bool> const selected = of.base->selected(active.size(), engine);
    std::vector<gene_view> others;
    for (std::size_t i = 0; i < active.size(); ++i) {
        std::size_t const g = active[i];
        gene const to = genes.of(child, g);
        if (selected[i]) {
            others.clear();
            for (std::size_t p = 1; p < parents.size(); ++p)
                others.push_back(genes.of(*parents[p], g));
            std::span<double> const its = memory.subspan(to.index(), to.size());
            if (std::optional<std::size_t> const entry = genes.entry(g))
                of.operators[*entry].with(to, others, engine, its);
            else
                of.base->by_default(to, others, engine, its);
        }
        of.base->afterwards(to, engine);
    }
    return genes.valid(std::move(child), *parents.front(), engine);
}

/// The best configurations that other techniques found so far, filled up with random ones.
[[nodiscard]] inline std::vector<point> first_members(trials& t, std::size_t count)
{
    std::vector<valued_point> known;
    for (valued_point const& one : t.told())
        if (one.value != failed_value) known.push_back(one);
    attune::detail::sort_stably(
        known, [](valued_point const& a, valued_point const& b) { return a.value < b.value; });
    if (known.size() > count) known.resize(count);
    std::vector<point> out;
    for (valued_point& one : known)
        out.push_back(std::move(one.where));
    if (out.size() < count)
        for (point& fresh : attune::detail::fresh_points(t, count - out.size()))
            out.push_back(std::move(fresh));
    return out;
}

ATTUNE_INLINE search_process breed_composed(trials& t, composition what)
{
    constexpr int most_tries = 20; // to make an unseen child
    genome const genes(t.space(), what.operators);
    std::vector<point> round = first_members(t, what.base->members());
    std::vector<double> value = co_await t.evaluate(round);
    population_state all;
    for (std::size_t i = 0; i < round.size(); ++i)
        all.members.push_back({round[i], value[i], round[i], value[i]});
    std::size_t const members = all.members.size();
    std::vector<std::vector<double>> memory(
        members, std::vector<double>(t.space().describe().parameters.size(), 0));
    std::size_t turn = 0;
    std::size_t vain = 0; // turns since the last new configuration
    for (;;) {
        all.best = t.best() ? *t.best() : all.members[turn].where;
        all.best_value = t.best_value();
        std::size_t const children = std::clamp<std::size_t>(t.batch(), 1, members);
        round.clear();
        for (std::size_t i = 0; i < children; ++i) {
            std::size_t const whose = (turn + i) % members;
            point child;
            for (int tries = 0; tries < most_tries; ++tries) {
                child = composed_child(what, genes, all, whose, memory[whose], t.engine());
                bool const is_new = !t.has_seen(child) &&
                                    std::find(round.begin(), round.end(), child) == round.end();
                if (is_new) break;
            }
            round.push_back(std::move(child));
        }
        std::size_t const before = t.seen_count();
        value = co_await t.evaluate(round);
        vain = t.seen_count() > before ? 0 : vain + children;
        for (std::size_t i = 0; i < children; ++i)
            what.base->update(all, (turn + i) % members, {round[i], value[i]});
        turn = (turn + children) % members;
        if (vain < 2 * members) continue;
        // No member gives a new child: the oldest one starts anew.
        vain = 0;
        point const fresh = t.fresh();
        double const its = co_await t.evaluate(fresh);
        all.members[turn] = {fresh, its, fresh, its};
        std::fill(memory[turn].begin(), memory[turn].end(), 0.0);
    }
}

/// A composition as a searcher: the run-time form of composed<>.
class composition_search : public stepwise_searcher {
public:
    composition_search(chain_of_trees space, std::uint64_t seed, composition const& what)
        : stepwise_searcher(std::move(space), seed,
                            [&](trials& t) { return breed_composed(t, what); })
    {
    }
};

ATTUNE_INLINE technique technique_of_composition(composition what)
{
    what.settle();
    std::string text = what.text();
    return {std::move(text), search_with<composition_search>(what)};
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI::search
