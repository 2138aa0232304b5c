// tests/search/compose/selector_operators.cpp - selectors as ranges, and what operators do to them.
// SPDX-License-Identifier: MIT
#include <attune/search/compose/selector_operators.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/selector.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/space/build_pack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../../laws/searcher.hpp"

namespace search = attune::search;
using attune::point;
using search::act_at;
using search::gene;
using search::gene_view;
using search::selection;

namespace {

constexpr auto ways = attune::ordinal<"WAYS">(attune::values(2, 4, 8));
constexpr auto prefetch = attune::boolean<"PREFETCH">().with_default(true);
constexpr auto sort = attune::selector<"SORT", 3>(
    attune::values(10, 20, 40), attune::algorithm("insertion"), attune::algorithm("merge", ways),
    attune::algorithm("radix", prefetch));
constexpr auto quiet = attune::boolean<"QUIET">();

/// A selector behind another parameter, and its gene.
struct room {
    attune::chain_of_trees chain = attune::build(attune::space(quiet, sort));
    std::vector<std::uint32_t> parameters;
    attune::random_engine engine{5};

    room()
    {
        attune::selector_description const& s = chain.describe().selectors.front();
        parameters.resize(s.count());
        std::iota(parameters.begin(), parameters.end(), s.first);
    }
    std::uint64_t size() const { return static_cast<std::uint64_t>(*chain.size()); }
    gene at(point& p) const { return {chain.describe(), parameters, p}; }
    gene_view at(point const& p) const { return {chain.describe(), parameters, p}; }
    selection read(point const& p) const { return search::selection_of(at(p)); }
    /// What the operator makes of a child and other parents; always a valid configuration.
    template <class Op>
    point made(Op const& op, point child, std::vector<point> const& others = {})
    {
        std::vector<gene_view> parents;
        for (point const& other : others)
            parents.push_back(at(other));
        op(at(child), parents, engine);
        REQUIRE(chain.contains(child));
        return child;
    }
};

std::vector<std::uint32_t> indices_of(point const& p)
{
    std::vector<std::uint32_t> out;
    for (attune::coordinate const c : p)
        out.push_back(c.index);
    return out;
}

constexpr std::int64_t below_all = -1;
/// The sizes that cut-offs tell apart: below all three, and from each of them on.
constexpr std::int64_t sizes[]{below_all, 0, 1, 2};

std::size_t differing(selection const& a, selection const& b)
{
    std::size_t out = 0;
    for (std::int64_t const size : sizes)
        out += act_at(a, size) == act_at(b, size) ? 0U : 1U;
    return out;
}

} // namespace

TEST_CASE("a selection is what the selector of a configuration runs, and is put back as it was")
{
    room r;
    for (std::uint64_t i = 0; i < r.size(); ++i) {
        point const p = r.chain.at(i);
        selection const of = r.read(p);
        CHECK(of.acts.size() == of.cut_offs.size() + 1);
        CHECK(search::settled_selection(r.at(p), of) == of);
        point again = r.chain.at(r.size() - 1 - i);
        again[0] = p[0];
        search::set_selection(r.at(again), of);
        CHECK(again == p);
    }
}

TEST_CASE("settling a selection joins equal ranges and forgets parameters of other algorithms")
{
    room r;
    point const p = r.chain.at(0);
    // insertion with some WAYS, insertion with others, merge by 8 with and without prefetching
    selection const given{{0, 1, 2},
                          {{{0, 0}, {1, 0}, {0, 0}},
                           {{0, 0}, {2, 0}, {1, 0}},
                           {{1, 0}, {2, 0}, {0, 0}},
                           {{1, 0}, {2, 0}, {1, 0}}}};
    selection const settled = search::settled_selection(r.at(p), given);
    REQUIRE(settled.acts.size() == 2);
    CHECK(settled.cut_offs == std::vector<std::uint32_t>{1});
    CHECK(settled.acts[0] == search::range_act{{0, 0}, {0, 0}, {1, 0}}); // their defaults
    CHECK(settled.acts[1] == search::range_act{{1, 0}, {2, 0}, {1, 0}});
}

TEST_CASE("a random selector may be any, and one range is as frequent as two or three")
{
    room r;
    std::set<std::vector<std::uint32_t>> seen;
    std::size_t counts[3]{};
    point p = r.chain.at(0);
    std::size_t const draws = 60 * r.size();
    for (std::size_t i = 0; i < draws; ++i) {
        r.at(p).draw(r.engine);
        REQUIRE(r.chain.contains(p));
        seen.insert(indices_of(p));
        ++counts[r.read(p).acts.size() - 1];
    }
    CHECK(2 * seen.size() == r.size()); // the other parameter stays
    // Neighbours that happen to be equal are joined. Of the acts insertion has a chance of 1/3,
    // each of three merges 1/9 and each of two radix sorts 1/6.
    double const two_equal = 1.0 / 9 + 3.0 / 81 + 2.0 / 36;
    double const three_equal = 1.0 / 27 + 3.0 / 729 + 2.0 / 216;
    double const expected[3]{(1 + two_equal + three_equal) / 3,
                             (1 - two_equal + 2 * (two_equal - three_equal)) / 3,
                             (1 - 2 * two_equal + three_equal) / 3};
    double chi_squared = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        double const mean = expected[i] * static_cast<double>(draws);
        double const off = static_cast<double>(counts[i]) - mean;
        chi_squared += off * off / mean;
    }
    CHECK(chi_squared < 13.8); // 0.1 % of two degrees of freedom; the seed is fixed
}

TEST_CASE("cut-offs move between their neighbours, and what runs stays")
{
    room r;
    for (std::uint64_t i = 0; i < r.size(); ++i) {
        point const p = r.chain.at(i);
        selection const before = r.read(p);
        selection const after = r.read(r.made(search::cut_off_shift{}, p));
        CHECK(after.acts == before.acts);
        bool const has_room = !before.cut_offs.empty();
        CHECK(has_room == (after.cut_offs != before.cut_offs ||
                           before.cut_offs.size() == 2)); // the one that moves may have no room
    }
    // Every place between the neighbours is reached.
    selection one;
    for (std::uint64_t i = 0; one.cut_offs.size() != 1; ++i)
        one = r.read(r.chain.at(i));
    point p = r.chain.at(0);
    search::set_selection(r.at(p), one);
    std::set<std::uint32_t> places;
    for (int i = 0; i < 200; ++i)
        places.insert(r.read(p = r.made(search::cut_off_shift{.sigma = 0.5}, p)).cut_offs[0]);
    CHECK(places == std::set<std::uint32_t>{0, 1, 2});
}

TEST_CASE("ranges exchange what they run")
{
    room r;
    for (std::uint64_t i = 0; i < r.size(); ++i) {
        point const p = r.chain.at(i);
        selection const before = r.read(p);
        selection const after = r.read(r.made(search::range_swap{}, p));
        if (before.acts.size() == 1) CHECK(after == before);
        if (before.acts.size() == 2) {
            CHECK(after.cut_offs == before.cut_offs);
            CHECK(after.acts[0] == before.acts[1]);
            CHECK(after.acts[1] == before.acts[0]);
        }
        // All acts are still there, unless two that became neighbours are equal.
        for (auto const& act : before.acts)
            CHECK(std::count(after.acts.begin(), after.acts.end(), act) >= 1);
    }
}

TEST_CASE("one range is drawn anew, split or removed, and the sizes of others run as before")
{
    room r;
    std::size_t grown = 0;
    for (std::uint64_t i = 0; i < r.size(); ++i) {
        point const p = r.chain.at(i);
        selection const before = r.read(p);
        /// The sizes of the widest range are the most that can change.
        auto const most = [&](selection const& of) {
            std::size_t widest = 0;
            for (std::int64_t const size : sizes) {
                std::size_t alike = 0;
                for (std::int64_t const other : sizes)
                    alike += act_at(of, size) == act_at(of, other) ? 1U : 0U;
                widest = std::max(widest, alike);
            }
            return widest;
        };
        for (double const chance : {0.0, 1.0}) {
            selection const redrawn = r.read(r.made(search::range_redraw{chance}, p));
            CHECK(differing(before, redrawn) <= most(before));
            // With chance 1 another parameter of the same algorithm, if it has one.
            bool const has_parameters =
                std::none_of(before.acts.begin(), before.acts.end(), [](auto const& act) {
                    return act.front().index == 0; // insertion
                });
            if (chance == 1 && has_parameters) {
                for (std::int64_t const size : sizes)
                    CHECK(act_at(redrawn, size).front() == act_at(before, size).front());
            }
        }
        selection const split = r.read(r.made(search::range_split{}, p));
        CHECK(split.acts.size() <= before.acts.size() + 1);
        CHECK(differing(before, split) < most(before) + (before.acts.size() == 3 ? 1U : 0U));
        if (before.acts.size() == 3) CHECK(split == before);
        grown += split.acts.size() > before.acts.size() ? 1U : 0U;
        selection const removed = r.read(r.made(search::range_removal{}, p));
        CHECK((removed.acts.size() < before.acts.size() || before.acts.size() == 1));
        CHECK(differing(before, removed) <= most(before));
        CHECK(r.read(r.made(search::selector_move{}, p)) != before); // something changes
    }
    CHECK(grown > 0);
}

TEST_CASE("a crossing runs small sizes as one parent and the others as the other")
{
    room r;
    for (std::uint64_t i = 0; i < r.size(); i += 37)
        for (std::uint64_t k = 0; k < r.size(); k += 7) {
            point const p = r.chain.at(i);
            selection const a = r.read(p);
            selection const b = r.read(r.chain.at(k));
            for (std::uint32_t cut = 0; cut < 3; ++cut) {
                std::set<std::uint32_t> cuts;
                for (std::int64_t const size : {0, 1, 2}) {
                    auto const& of = [&](std::int64_t at) -> search::range_act const& {
                        return act_at(at < cut ? a : b, at);
                    };
                    if (of(size) != of(size - 1)) cuts.insert(static_cast<std::uint32_t>(size));
                }
                selection const made = search::crossed_selection(r.at(p), a, b, cut, r.engine);
                REQUIRE(made.acts.size() <= 3);
                if (cuts.size() > 2) continue; // some range went
                CHECK(made.cut_offs == std::vector<std::uint32_t>(cuts.begin(), cuts.end()));
                for (std::int64_t const size : sizes)
                    CHECK(act_at(made, size) == act_at(size < cut ? a : b, size));
            }
            point const q = r.chain.at(k);
            r.made(search::selector_cross{}, p, {q, p});
            CHECK(r.read(r.made(search::selector_cross{}, r.chain.at(0), {p, p})) == a);
            CHECK(r.read(r.made(search::selector_swarm{.stay = 1}, p, {q, q})) == a);
            CHECK(r.read(r.made(search::selector_swarm{.stay = 0, .first = 0}, p, {q, p})) == a);
            selection const moved =
                r.read(r.made(search::selector_swarm{.stay = 0, .first = 1}, p, {q, p}));
            if (a.acts.size() + b.acts.size() <= 3) // nothing has to go: each size has a parent
                for (std::int64_t const size : sizes)
                    CHECK((act_at(moved, size) == act_at(a, size) ||
                           act_at(moved, size) == act_at(b, size)));
        }
}

TEST_CASE("selectors have the operators of any parameter, too")
{
    room r;
    point const a = r.chain.at(3);
    point const b = r.chain.at(r.size() / 2);
    point const c = r.chain.at(r.size() - 5);
    CHECK(r.made(search::noop{}, a) == a);
    r.made(search::randomize{}, a);
    CHECK(r.read(r.made(search::stochastic_mix{{0, 1}}, a, {b})) == r.read(b));
    selection const mixed = r.read(r.made(search::swarm{0, 1, 1}, a, {b, c}));
    CHECK((mixed == r.read(b) || mixed == r.read(c)));
    r.made(search::set_linear{}, a, {a, b, c});
    CHECK(r.read(r.made(search::normal_mutation{}, a)) != r.read(a));
}

namespace {

/// Run time of all sizes: each has its own best act; only one selector has the best for all.
double cost_of(search::selection const& of)
{
    double out = 0;
    // insertion, merge by 8, merge by 8, radix without prefetching
    search::range_act const best[]{{{0, 0}, {0, 0}, {1, 0}},
                                   {{1, 0}, {2, 0}, {1, 0}},
                                   {{1, 0}, {2, 0}, {1, 0}},
                                   {{2, 0}, {0, 0}, {0, 0}}};
    for (std::int64_t const size : sizes) {
        search::range_act const& act = act_at(of, size);
        search::range_act const& wanted = best[size + 1];
        out += act[0] == wanted[0] ? 0 : 3;
        for (std::size_t i = 1; i < act.size(); ++i)
            out += act[0] == wanted[0] && !(act[i] == wanted[i]) ? 1 : 0;
    }
    return out;
}

using by_moves =
    search::composed<search::greedy, search::operators<search::selector<search::selector_move>>>;
using by_crossing = search::composed<search::random_three_parents,
                                     search::operators<search::selector<search::selector_cross>>>;

} // namespace

TEST_CASE_TEMPLATE("searches with operators for selectors give every configuration once", Searcher,
                   by_moves, by_crossing)
{
    room const r;
    auto const all = [&](std::uint64_t seed) {
        Searcher s(r.chain, seed);
        std::vector<point> out;
        for (;;) {
            std::vector<point> const asked = s.ask(3);
            if (asked.empty()) return out;
            for (point const& p : asked) {
                double const cost = 1 + cost_of(r.read(p));
                s.tell(p, attune::measurement::exact(cost));
                out.push_back(p);
            }
        }
    };
    std::vector<point> const visited = all(1);
    CHECK(visited.size() == r.size());
    std::set<std::vector<std::uint32_t>> distinct;
    for (point const& p : visited)
        distinct.insert(indices_of(p));
    CHECK(distinct.size() == r.size());
    CHECK(visited == all(1));
}

TEST_CASE("a search by moves of selectors finds the best way to run each size")
{
    room const r;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        by_moves s(r.chain, seed);
        double best = std::numeric_limits<double>::infinity();
        int evaluations = 0;
        while (best > 0 && evaluations < 400) {
            point const asked = searcher_law::asked_of(s);
            double const cost = cost_of(r.read(asked));
            s.tell(asked, attune::measurement::exact(cost + 1));
            best = std::min(best, cost);
            ++evaluations;
        }
        CHECK(best == 0);
    }
}

TEST_CASE("names of techniques have operators for selectors, and random ones draw them")
{
    std::string const name = "greedy selector;selector_swarm;[[[c,0.25]]]";
    search::technique const read = search::parse_technique(name);
    CHECK(read.name.ends_with("selector;selector_swarm;[[[c,0.25],[c1,0.5]]]"));
    CHECK(search::parse_technique(read.name).name == read.name);
    CHECK_THROWS_AS((void)search::parse_technique("greedy number;range_swap"), attune::error);
    room const r;
    attune::random_engine engine(3);
    std::set<std::string> drawn;
    for (int i = 0; i < 300; ++i) {
        std::string const text =
            search::random_technique(engine, r.chain.describe(), search::vocabulary{}).name;
        std::size_t const at = text.find(" selector;");
        REQUIRE(at != text.npos);
        drawn.insert(text.substr(at + 10, text.find(';', at + 10) - at - 10));
    }
    for (char const* const op :
         {"cut_off_shift", "range_swap", "range_redraw", "range_split", "range_removal",
          "selector_move", "selector_cross", "selector_swarm", "noop", "randomize"})
        CHECK(drawn.count(op) == 1);
}

TEST_CASE(
    "each technique of the set for selectors proposes valid configurations, and changes selectors")
{
    constexpr auto route = attune::permutation<"ROUTE", 5>();
    constexpr auto tile = attune::ordinal<"TILE">(attune::range(1, 64));
    struct one_space {
        attune::description space;
        std::size_t techniques;
        bool has_simplex;
    };
    for (one_space const& of :
         {one_space{attune::lower(attune::space(sort)), 5, false},
          one_space{attune::lower(attune::space(sort, route)), 5, false},
          one_space{attune::lower(attune::space(tile, sort, route)), 6, true}}) {
        attune::chain_of_trees const chain{attune::bind_inputs(of.space)};
        attune::selector_description const& s = chain.describe().selectors.front();
        std::vector<std::uint32_t> parameters(s.count());
        std::iota(parameters.begin(), parameters.end(), s.first);
        std::vector<search::technique> const set = search::technique_set_for(chain.describe());
        CHECK(set.size() == of.techniques);
        for (search::technique const& t : set) {
            CAPTURE(t.name);
            bool const is_simplex = t.name.starts_with("nelder_mead");
            CHECK((is_simplex || t.name.find(" selector;selector_") != t.name.npos));
            CHECK((of.has_simplex || !is_simplex));
            CHECK(search::parse_technique(t.name).name == t.name);
            attune::any_searcher by = t.make(chain, 3);
            std::set<std::vector<std::uint32_t>> selectors;
            for (int i = 0; i < 120; ++i) {
                point const asked = searcher_law::asked_of(by);
                point const& p = asked;
                REQUIRE(chain.contains(p));
                selection const runs =
                    search::selection_of(gene_view{chain.describe(), parameters, p});
                std::vector<std::uint32_t> const all = indices_of(p);
                selectors.insert({all.begin() + s.first, all.begin() + s.first + s.count()});
                by.tell(p, attune::measurement::exact(1 + cost_of(runs)));
            }
            CHECK(selectors.size() >= 10);
        }
    }
}

TEST_CASE("a bandit over the set for selectors finds the best selector sooner than over set A")
{
    room const r;
    auto const mean_of_best = [&](std::vector<search::technique> const& set) {
        double sum = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            attune::any_searcher s = search::auc_bandit_of(set).make(r.chain, seed);
            double best = std::numeric_limits<double>::infinity();
            for (int i = 0; i < 100; ++i) {
                std::vector<point> const asked = s.ask(1);
                double const cost = cost_of(r.read(asked.front()));
                s.tell(asked.front(), attune::measurement::exact(cost + 1));
                best = std::min(best, cost);
            }
            sum += best / 20;
        }
        return sum;
    };
    double const by_selectors = mean_of_best(search::technique_set_for(r.chain.describe()));
    double const by_parameters = mean_of_best(search::technique_set_a());
    CHECK(by_selectors < by_parameters);
}
