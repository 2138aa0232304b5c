// tests/search/compose/climb.cpp : mirrors include/attune/search/compose/climb.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/climb.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/order.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/order_changes.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace search = attune::search;
using attune::point;
using search::climb;
using search::composed;
using search::item_order;
using search::operators;

namespace {

using by_swaps = composed<climb, operators<search::permutation<search::random_swap>>>;

/// One order of so many items, more than 12.
attune::description one_order(std::uint32_t items)
{
    attune::description d;
    d.groups.push_back({"order", attune::group_kind::permutation, 0, items - 1});
    for (std::uint32_t k = 0; k + 1 < items; ++k)
        d.parameters.push_back(search_spaces::counting("digit", items - k));
    return d;
}

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
    attune::description const d = one_order(static_cast<std::uint32_t>(of.place.size()));
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
    attune::description const d = one_order(20);
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
    attune::description const d = one_order(20);
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
    search::greedy three;
    three.population = 3;
    composed<search::greedy> late(space, 1, three);
    std::vector<point> known{space.sample(engine), space.sample(engine)};
    for (point const& p : known)
        late.tell(p, attune::measurement::exact(1));
    point const first = late.ask(1).at(0);
    CHECK(std::find(known.begin(), known.end(), first) == known.end());
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
    attune::description const d = one_order(24);
    CHECK(by(search::auc_bandit_of(search::technique_set_for(d)).make) <= 1.1 * climber);
    CHECK(climber < 60);
}
