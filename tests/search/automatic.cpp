// tests/search/automatic.cpp : mirrors include/attune/search/automatic.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/automatic.hpp>

#include <attune/declare/group.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/random.hpp>
#include <attune/space/build_pack.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../laws/searcher.hpp"

using attune::search::automatic;
using attune::search::automatic_options;

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, automatic);

namespace {

/// Local search joins at once.
automatic_options impatient()
{
    automatic_options out;
    out.long_run = 8;
    return out;
}

} // namespace

TEST_CASE("with a local search beside the model every point is still asked once")
{
    for (std::size_t const batch : {1U, 4U}) {
        automatic s(search_spaces::constrained(), 1, impatient());
        std::vector<attune::point> const all = searcher_law::drive(s, batch, searcher_law::judge);
        CHECK(all.size() == 36);
        CHECK(searcher_law::point_set(all.begin(), all.end()).size() == 36);
    }
}

TEST_CASE("neither the model nor the local search repeats what the other waits for")
{
    automatic s(search_spaces::grid(12), 2, impatient());
    searcher_law::point_set seen;
    for (int round = 0; round < 12; ++round) {
        std::vector<attune::point> const asked = s.ask(6);
        CHECK(asked.size() == 6);
        for (attune::point const& p : asked)
            CHECK(seen.insert(p).second);
        for (std::size_t i = 0; i < 4; ++i) // the others are never told
            s.tell(asked[i], searcher_law::judge(asked[i]));
    }
}

TEST_CASE("nineteen of twenty configurations fail, and it finds what works")
{
    // A diagonal band of 30 x 30 works, best at one end of it.
    attune::chain_of_trees const space = search_spaces::grid(30);
    auto const band = [](attune::point const& p) -> attune::outcome {
        if (p[0].index / 2 != p[1].index / 2)
            return attune::failure{attune::failure_stage::launch, "off the band"};
        return attune::measurement::exact(50.0 - p[0].index);
    };
    int model = 0;
    int chance = 0;
    auto const count = [&](attune::any_searcher s) {
        int worked = 0;
        for (int i = 0; i < 80; ++i) {
            attune::point const p = s.ask(1).front();
            attune::outcome const seen = band(p);
            worked += attune::succeeded(seen) ? 1 : 0;
            s.tell(p, seen);
        }
        return worked;
    };
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        model += count(automatic(space, seed));
        chance += count(attune::random_searcher(space, seed));
    }
    CHECK(model > 2 * chance);
}

TEST_CASE("the expected gain is large at first and small at the end")
{
    attune::chain_of_trees const space = search_spaces::grid(20);
    auto const valley = [](attune::point const& p) -> attune::outcome {
        double const a = p[0].index - 12.0;
        double const b = p[1].index - 5.0;
        return attune::measurement::exact(10 + a * a + b * b);
    };
    automatic s(space, 1);
    CHECK(!s.expected_gain());
    double early = 0;
    for (int i = 0; i < 60; ++i) {
        attune::point const p = s.ask(1).front();
        s.tell(p, valley(p));
        if (i == 7) early = s.expected_gain().value_or(0);
    }
    CHECK(early > 0.02);
    REQUIRE(s.expected_gain());
    CHECK(*s.expected_gain() < 0.01);
}

TEST_CASE("a climb chooses where orders and arrays have too many coordinates for a model")
{
    constexpr auto order = attune::permutation<"ORDER", 400>();
    attune::chain_of_trees const space =
        attune::build(attune::space(order, attune::boolean<"ON">()));
    // How far items are from their places in the opposite order, which is one of 400! orders.
    auto const cost = [&](attune::point const& p) {
        auto const items = attune::detail::order_of(space.describe(), 0, p);
        double sum = 0;
        for (std::size_t place = 0; place < items.size(); ++place)
            sum += std::abs(399.0 - static_cast<double>(place) - items[place]);
        return sum / 400;
    };
    automatic s(space, 3);
    std::vector<double> values;
    searcher_law::point_set asked;
    for (int i = 0; i < 300; ++i) {
        attune::point const next = searcher_law::asked_of(s);
        CHECK(space.contains(next));
        CHECK(asked.insert(next).second);
        values.push_back(cost(next));
        s.tell(next, attune::measurement{values.back(), values.back(), values.back(), 1});
    }
    CHECK_FALSE(s.prediction_of(*asked.begin()));
    CHECK_FALSE(s.expected_gain());
    double const at_first = *std::min_element(values.begin(), values.begin() + 20);
    CHECK(*std::min_element(values.begin(), values.end()) < at_first);
}

TEST_CASE("where nothing is modelled it is the climb by small changes")
{
    constexpr auto numbers = attune::array_of<64>(attune::integer<"A">(0, 7));
    attune::chain_of_trees const space = attune::build(attune::space(numbers));
    automatic s(space, 5);
    attune::detail::wide_climb climb(space, 5);
    for (int i = 0; i < 200; ++i) {
        std::vector<attune::point> const asked = s.ask(1);
        REQUIRE(asked.size() == 1);
        REQUIRE(asked == climb.ask(1));
        double sum = 0;
        for (std::size_t k = 0; k < 64; ++k)
            sum += asked[0][k].index * static_cast<double>(k + 1);
        s.tell(asked[0], attune::measurement::exact(sum));
        climb.tell(asked[0], attune::measurement::exact(sum));
    }
}
