// tests/search/compose/composed.cpp : mirrors include/attune/search/compose/composed.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/composed.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"
#include "../../support/texts.hpp"

namespace search = attune::search;
using attune::point;
using attune_test::error_of;
using attune_test::has;
using search::composed;
using search::operators;
using search::population_state;

namespace {

using linear_pmx =
    composed<search::random_three_parents,
             operators<search::number<search::set_linear>, search::permutation<search::pmx>,
                       search::boolean<search::flip>>>;
using mixed_greedy = composed<search::greedy, operators<search::for_any<search::stochastic_mix>>>;
using idle = composed<search::greedy, operators<search::for_any<search::noop>>>;

// --- a kind, an operator and a base of one's own

/// An operator for a kind of parameters that are angles in twelfths of a turn: one twelfth further,
/// or back, around the end. Whole numbers know no such step.
struct turn {
    static constexpr std::string_view kind = "angle";
    using parent = search::whole_kind;
    static bool holds(search::gene_view const& g) { return g.parameter().name == "angle"; }

    static constexpr std::string_view name = "turn";
    static constexpr std::size_t parents = 2;
    void operator()(search::gene child, search::other_parents others,
                    attune::random_engine& engine) const
    {
        std::uint32_t const by = attune::uniform_below(engine, 2) == 0 ? 1 : 11;
        child.set({(others[0].where().index + by) % 12, 0});
    }
};
using turning = composed<search::greedy, operators<search::of_own_kind<turn>>>;

/// A base of one's own: the best two of all, nothing else.
struct hill {
    static constexpr std::string_view name = "hill";
    static constexpr std::size_t promise = 2;
    [[nodiscard]] std::size_t members() const { return 1; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t,
                                                    attune::random_engine&) const
    {
        return {&all.best, &all.members.front().where};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, attune::random_engine& engine) const
    {
        return search::one_and_others(count, 0, engine);
    }
    void update(population_state& all, std::size_t, attune::valued_point const& child) const
    {
        search::replace_if_better(all.members.front(), child);
    }
    void by_default(search::gene child, search::other_parents others, attune::random_engine& engine,
                    std::span<double>) const
    {
        search::normal_mutation{}(child, others, engine);
    }
};
using climbing = composed<hill>;

/// The members' values are their indices; their first coordinate is 10 times that.
population_state five_members()
{
    population_state out;
    for (std::uint32_t i = 0; i < 5; ++i)
        out.members.push_back({{{10 * i, 0}}, double(i), {{10 * i, 0}}, double(i)});
    out.best = {{99, 0}};
    out.best_value = -1;
    return out;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, linear_pmx, mixed_greedy, idle, climbing,
                          composed<search::greedy>, composed<search::random_three_parents>,
                          composed<search::de_alt>, composed<search::uniform_greedy_mutation>,
                          composed<search::normal_greedy_mutation>, composed<search::ga>,
                          composed<search::gga>, composed<search::pso>);

TEST_CASE_TEMPLATE("composed searches find the bottom of a valley sooner than chance", S,
                   linear_pmx, composed<search::greedy>, climbing, composed<search::de>,
                   composed<search::uniform_greedy_mutation>,
                   composed<search::normal_greedy_mutation>, composed<search::ga>,
                   composed<search::gga>, composed<search::pso>)
{
    searcher_trials::check_finds_valley_sooner_than_chance<S>();
}

TEST_CASE_TEMPLATE("composed searches learn from parameters of all kinds under constraints", S,
                   linear_pmx, composed<search::greedy>, composed<search::de_alt>,
                   composed<search::uniform_greedy_mutation>, composed<search::ga>,
                   composed<search::gga>, composed<search::pso>)
{
    searcher_trials::check_every_kind<S>();
}

TEST_CASE_TEMPLATE("composed searches get out of a region where everything fails", S,
                   composed<search::de_alt>, composed<search::ga>, composed<search::pso>,
                   composed<search::gga>, composed<search::uniform_greedy_mutation>)
{
    searcher_trials::check_escapes_failures<S>();
}

TEST_CASE("an operator of one's own for one's own kind of parameters is one struct")
{
    attune::description d;
    d.parameters = {search_spaces::counting("angle", 12), search_spaces::counting("size", 40)};
    attune::chain_of_trees const space(d);
    // Turned from 0 through 11 downwards: the operator of whole numbers would go the long way.
    auto const cost = [](point const& p) {
        double const apart = std::abs(p[0].index - 6.0);
        return 1 + 6 - apart + p[1].index / 40.0;
    };
    turning s(space, 3);
    std::set<std::uint32_t> angles;
    for (int i = 0; i < 150; ++i) {
        point const p = s.ask(1).front();
        angles.insert(p[0].index);
        s.tell(p, attune::measurement::exact(cost(p)));
    }
    CHECK(search::technique_of(search::greedy{}, operators<search::of_own_kind<turn>>{}).name ==
          "greedy;best_rate,0.5;crossover_rate,0.1;population,10 angle;turn;[[]]");

    // Where only the angle can change, and from the best one alone, each child is one twelfth away.
    attune::description alone;
    alone.parameters = {search_spaces::counting("angle", 12)};
    attune::chain_of_trees const circle(alone);
    search::greedy const one{.best_rate = 0, .population = 1};
    composed<search::greedy, operators<search::of_own_kind<turn>>> walk(circle, 1, one);
    point const first = walk.ask(1).front();
    walk.tell(first, attune::measurement::exact(1));
    point const second = walk.ask(1).front();
    std::uint32_t const step = (second[0].index + 12 - first[0].index) % 12;
    CHECK((step == 1 || step == 11));
}

TEST_CASE("entries for closer kinds win, others get the default operator of the base")
{
    // whole is closer than number, number closer than any.
    attune::description d;
    d.parameters = {search_spaces::counting("whole", 9), search_spaces::real("real", 0, 1),
                    search_spaces::categorical("choice", {"x", "y", "z"})};
    attune::chain_of_trees const space(d);
    search::detail::composition const what = search::detail::composition_of(
        search::greedy{}, operators<search::for_any<search::noop>, search::number<search::scale>,
                                    search::whole<search::randomize>>{});
    search::detail::genome const genes(space, what.operators);
    REQUIRE(genes.size() == 3);
    CHECK(what.operators[*genes.entry(0)].kind.name() == "whole");
    CHECK(what.operators[*genes.entry(1)].kind.name() == "number");
    CHECK(what.operators[*genes.entry(2)].kind.name() == "any");
    search::detail::genome const others(
        space,
        search::detail::composition_of(search::greedy{}, operators<search::real<search::scale>>{})
            .operators);
    CHECK(!others.entry(0));
    CHECK(others.entry(1) == 0);
    CHECK(!others.entry(2));
}

TEST_CASE("bases choose the parents of Table 4.1 and replace whom it says")
{
    attune::random_engine engine(5);
    population_state all = five_members();
    search::greedy const greedy;
    int best = 0;
    constexpr int rounds = 6000;
    for (int i = 0; i < rounds; ++i) {
        auto const parents = greedy.parents(all, 3, engine);
        REQUIRE(parents.size() == 4);
        REQUIRE(parents[0] == &all.members[3].where);
        for (std::size_t p = 1; p < 4; ++p) {
            REQUIRE((parents[p] == &all.best || parents[p] == parents[0]));
            best += parents[p] == &all.best ? 1 : 0;
        }
    }
    CHECK(std::abs(best - 3 * rounds / 2) < 5 * 67); // standard deviation 67

    search::random_three_parents rtp;
    for (int i = 0; i < 500; ++i) {
        auto const parents = rtp.parents(all, 2, engine);
        REQUIRE(parents.size() == 4);
        REQUIRE(parents[0] == &all.members[2].where);
        std::set<point const*> const different(parents.begin(), parents.end());
        REQUIRE(different.size() == 4);
        REQUIRE(different.count(&all.best) == 1);
    }
    rtp.information_sharing = 0;
    for (int i = 0; i < 100; ++i) {
        auto const parents = rtp.parents(all, 2, engine);
        REQUIRE(std::count(parents.begin(), parents.end(), &all.best) == 0);
    }

    greedy.update(all, 3, {{{7, 0}}, 3.5});
    CHECK(all.members[3].where.front().index == 30); // not better: stays
    greedy.update(all, 3, {{{7, 0}}, 2.5});
    CHECK(all.members[3].where.front().index == 7);
    search::ga{}.update(all, 0, {{{8, 0}}, 1.5});
    CHECK(all.members[4].where.front().index == 8); // the worst one
    search::pso{}.update(all, 1, {{{9, 0}}, 40});
    CHECK(all.members[1].where.front().index == 9); // moves in any case
    CHECK(all.members[1].best_where.front().index == 10);

    // Selection: one always, the others with the rate.
    std::size_t count = 0;
    for (int i = 0; i < rounds; ++i) {
        auto const chosen = rtp.selected(10, engine);
        auto const its = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), true));
        REQUIRE(its >= 1);
        count += its;
    }
    // Mean 0.9 * 10 + 0.1: the one that is chosen always would be missing with probability 0.1.
    CHECK(std::abs(static_cast<double>(count) / rounds - 9.1) < 0.06);
}

TEST_CASE("children of orders with dependences are valid")
{
    // A schedule: item 0 before 1, 1 before 2, in an order of six, and a number that follows it.
    attune::description d;
    d.parameters = {search_spaces::permutation("order", 6), search_spaces::counting("n", 7)};
    auto const in_order = [](attune::description const& of,
                             std::span<attune::coordinate const> at) {
        auto const items = attune::elements_at(of.parameters[0], at[0].index);
        auto const place = [&](std::int64_t item) {
            return std::find(items.begin(), items.end(), item) - items.begin();
        };
        return place(0) < place(1) && place(1) < place(2);
    };
    d.constraints = {search_spaces::required({0}, "0 before 1 before 2", in_order)};
    attune::chain_of_trees const space(d);
    auto const cost = [&](point const& p) {
        auto const items = attune::elements_at(space.describe().parameters[0], p[0].index);
        double out = 1 + p[1].index;
        for (std::size_t i = 0; i < items.size(); ++i) // 3 4 5 first
            out += (i < 3) == (items[i] >= 3) ? 0 : 1;
        return out;
    };
    // best_after() checks that every point is valid and new.
    using shifting = composed<search::greedy, operators<search::permutation<search::random_shift>>>;
    double learnt = 0;
    double chance = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        learnt += searcher_trials::best_after<shifting>(space, seed, 120, cost);
        chance += searcher_trials::best_after<attune::random_searcher>(space, seed, 120, cost);
    }
    CHECK(learnt < chance);
}

TEST_CASE_TEMPLATE("children are valid where no tree says what is nearest", S,
                   composed<search::greedy>, composed<search::de>, composed<search::ga>,
                   search::closed_search<search::nelder_mead>,
                   search::closed_search<search::pattern_search>, attune::differential_evolution)
{
    attune::description d;
    for (char const* const name : {"a", "b", "c"})
        d.parameters.push_back(search_spaces::counting(name, 60));
    d.constraints = {
        search_spaces::required({0, 1, 2}, "(a + b) % 3 == c % 3", [](auto const&, auto at) {
            return (at[0].index + at[1].index) % 3 == at[2].index % 3;
        })};
    attune::build_options narrow;
    narrow.max_visits = 100;
    attune::chain_of_trees const space(d, narrow);
    REQUIRE(!space.is_exact());
    auto const cost = [](point const& p) {
        double const a = p[0].index - 20.0;
        double const b = p[1].index - 30.0;
        return 1 + a * a + b * b + p[2].index;
    };
    // best_after() checks that every point is valid and new.
    double learnt = 0;
    double chance = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        learnt += searcher_trials::best_after<S>(space, seed, 200, cost);
        chance += searcher_trials::best_after<attune::random_searcher>(space, seed, 200, cost);
    }
    CHECK(learnt < chance);
}

TEST_CASE("a long order is learnt, and whole arrays are crossed")
{
    constexpr std::uint32_t items = 30;
    attune::chain_of_trees const space(search_spaces::long_order(items));
    auto const cost = [&](point const& p) {
        auto const order = attune::detail::order_of(space.describe(), 0, p);
        double out = 1;
        for (std::uint32_t i = 0; i + 1 < items; ++i) // 0 1 2 ... one after the other
            out += order[i + 1] == order[i] + 1 ? 0 : 1;
        return out;
    };
    using shifting = composed<search::uniform_greedy_mutation,
                              operators<search::permutation<search::random_shift>>>;
    CHECK(searcher_trials::best_after<shifting>(space, 1, 1500, cost) <
          searcher_trials::best_after<attune::random_searcher>(space, 1, 1500, cost) - 8);

    attune::description array;
    array.groups.push_back({"array", attune::group_kind::array, 0, 12});
    for (std::uint32_t k = 0; k < 12; ++k)
        array.parameters.push_back(search_spaces::counting("element", 4));
    attune::chain_of_trees const elements(array);
    search::detail::genome const whole(
        elements, search::detail::composition_of(search::ga{},
                                                 operators<search::array<search::array_cross>>{})
                      .operators);
    CHECK(whole.size() == 1);
    search::detail::genome const single(
        elements, search::detail::composition_of(search::ga{},
                                                 operators<search::for_any<search::randomize>>{})
                      .operators);
    CHECK(single.size() == 12);
}

TEST_CASE("settings that need more parents than the base promises are refused")
{
    using mix = operators<search::for_any<search::stochastic_mix>>;
    mix five;
    std::get<0>(five.entries).with.weights = {1, 1, 1, 1, 1};
    auto const make = [&] {
        return composed<search::greedy, mix>(search_spaces::grid(5), 0, {}, five);
    };
    CHECK(has(error_of([&] { (void)make(); }), "needs 5 configurations, the base promises 4"));
    search::greedy const nobody{.population = 0};
    CHECK_THROWS_AS((composed<search::greedy>(search_spaces::grid(5), 0, nobody)), attune::error);
}

namespace search = attune::search;
using search::climb;
using search::item_order;

namespace {

using by_swaps = composed<climb, operators<search::permutation<search::random_swap>>>;

std::size_t places_that_differ(item_order const& a, item_order const& b)
{
    std::size_t out = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        out += a[i] != b[i] ? 1U : 0U;
    return out;
}

/// The sum of how far neighbours on a ring are apart in a hidden order.
struct ring {
    item_order place;

    explicit ring(std::size_t items, std::uint64_t seed)
        : place(items)
    {
        attune::random_engine engine(seed);
        std::iota(place.begin(), place.end(), std::uint16_t{0});
        attune::shuffle(std::span(place), engine);
    }
    double length(search::order_view order) const
    {
        auto const items = static_cast<int>(order.size());
        int sum = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            int const way = std::abs(place[order[i]] - place[order[(i + 1) % order.size()]]);
            sum += std::min(way, items - way);
        }
        return sum;
    }
};

/// The best of so many orders of a plain hill climber: insertion, swap, inversion; equal ones are
/// taken.
double plain_climber(ring const& of, std::size_t tested, std::uint64_t seed)
{
    attune::random_engine engine(seed);
    std::size_t const items = of.place.size();
    item_order now(items);
    std::iota(now.begin(), now.end(), std::uint16_t{0});
    attune::shuffle(std::span(now), engine);
    double length = of.length(now);
    for (std::size_t i = 1; i < tested; ++i) {
        std::size_t a = attune::uniform_below(engine, items);
        std::size_t b = attune::uniform_below(engine, items - 1);
        b += b < a ? 0 : 1;
        std::uint64_t const kind = attune::uniform_below(engine, 3);
        if (kind == 2 && a > b) std::swap(a, b);
        item_order const next = kind == 0   ? search::shifted(now, a, 1, b)
                                : kind == 1 ? search::swapped(now, a, b)
                                            : search::inverted(now, a, b - a + 1);
        if (of.length(next) > length) continue;
        now = next;
        length = of.length(now);
    }
    return length;
}

double best_of_search(attune::search_factory const& make, ring const& of, std::size_t tested,
                      std::uint64_t seed)
{
    attune::description const d =
        search_spaces::long_order(static_cast<std::uint32_t>(of.place.size()));
    attune::any_searcher s = make(attune::chain_of_trees(d), seed);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tested; ++i) {
        point const p = s.ask(1).at(0);
        double const length = of.length(attune::detail::order_of(d, 0, p));
        best = std::min(best, length);
        s.tell(p, attune::measurement::exact(length));
    }
    return best;
}

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, composed<climb>, by_swaps);

TEST_CASE("a climb wanders over equal values, leaves worse ones, and goes to the best of others")
{
    attune::description const d = search_spaces::long_order(20);
    attune::chain_of_trees const space(d);
    auto const order = [&](point const& p) { return attune::detail::order_of(d, 0, p); };
    by_swaps s(space, 4);
    point at = s.ask(1).at(0);
    s.tell(at, attune::measurement::exact(10));
    for (int i = 0; i < 50; ++i) {
        point const child = s.ask(1).at(0);
        CHECK(places_that_differ(order(at), order(child)) == 2);
        bool const is_worse = i % 3 == 0;
        int const lower_at_times = 10 - i / 7;
        s.tell(child, attune::measurement::exact(is_worse ? 100 : lower_at_times));
        if (!is_worse) at = child;
    }
    point far(d.parameters.size()); // every digit 0
    s.tell(far, attune::measurement::exact(-50));
    CHECK(places_that_differ(order(far), order(s.ask(1).at(0))) == 2);
}

TEST_CASE("a search that begins after others begins with the best that they found")
{
    attune::description const d = search_spaces::long_order(20);
    attune::chain_of_trees const space(d);
    by_swaps s(space, 4);
    attune::random_engine engine(2);
    point best;
    for (int i = 9; i >= 3; --i) {
        point const p = space.sample(engine);
        s.tell(p, attune::measurement::exact(i));
        best = p;
    }
    s.tell(space.sample(engine), attune::failure{attune::failure_stage::verify, "wrong"});
    s.tell(space.sample(engine), attune::measurement::exact(4));
    auto const order = [&](point const& p) { return attune::detail::order_of(d, 0, p); };
    CHECK(places_that_differ(order(best), order(s.ask(1).at(0))) == 2);

    // Two of a population of three are known: one is random, none of the known is asked again.
    search::greedy const three{.population = 3};
    composed<search::greedy> late(space, 1, three);
    std::vector<point> known{space.sample(engine), space.sample(engine)};
    for (point const& p : known)
        late.tell(p, attune::measurement::exact(1));
    CHECK(std::find(known.begin(), known.end(), late.ask(1).at(0)) == known.end());
}

TEST_CASE("the climb and the set for orders are no worse than a plain hill climber")
{
    std::string const plain = "climb permutation;random_move;[[[strength,0]]]";
    auto const mean_of = [&](std::function<double(ring const&, std::uint64_t)> const& best) {
        double sum = 0;
        for (std::uint64_t seed = 0; seed < 8; ++seed)
            sum += best(ring(24, seed + 100), seed) / 8;
        return sum;
    };
    constexpr std::size_t tested = 1'000;
    double const climber =
        mean_of([](ring const& of, std::uint64_t seed) { return plain_climber(of, tested, seed); });
    auto const by = [&](attune::search_factory const& make) {
        return mean_of([&](ring const& of, std::uint64_t seed) {
            return best_of_search(make, of, tested, seed);
        });
    };
    // 24 is the least length, a random order has about 150.
    CHECK(by(search::parse_technique(plain).make) <= 1.1 * climber);
    attune::description const d = search_spaces::long_order(24);
    CHECK(by(search::auc_bandit_of(search::technique_set_for(d)).make) <= 1.1 * climber);
    CHECK(climber < 60);
}
