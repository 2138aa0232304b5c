// tests/tune/minimize_two.cpp : mirrors include/attune/tune/minimize_two.hpp
// SPDX-License-Identifier: MIT
#include <attune/tune/minimize_two.hpp>

#include <attune/declare/parameters.hpp>
#include <attune/search/random.hpp>

#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../support/recorded_progress.hpp"
#include "../support/texts.hpp"

using attune::goal;
using attune::minimize_two;
using attune::two_outcome;
using attune::two_values;
using attune_test::has;
using attune_test::recorded_progress;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 9));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 9));
constexpr auto plane = attune::space(x, y);

attune::minimize_two_options walking()
{
    return {.search = attune::search_with<attune::exhaustive_searcher>(),
            .progress = attune::silent_progress()};
}

/// On the front are the configurations with Y = 0.
constexpr auto costs = [](auto const& c) {
    return two_values{1.0 * c[x] + c[y], 9.0 - c[x] + 2 * c[y]};
};

} // namespace

TEST_CASE("the front of a space that is walked is what no configuration dominates")
{
    auto const r = minimize_two(plane, costs, {}, walking());
    CHECK(r.evaluations == 100);
    REQUIRE(r.front.size() == 10);
    for (int i = 0; i < 10; ++i) {
        auto const& one = r.front[static_cast<std::size_t>(i)];
        CHECK(one.config[x] == i);
        CHECK(one.config[y] == 0);
        CHECK(one.values == two_values{1.0 * i, 9.0 - i});
    }
    // Ten steps: 1 + 2 + ... + 10 cells up to (10, 10).
    CHECK(r.hypervolume({10, 10}) == 55);
    CHECK(attune::total(r.failures) == 0);
    CHECK(!r.interrupted);
    CHECK(r.ended == "space");
}

TEST_CASE("goals turn objectives around")
{
    auto options = walking();
    options.front.goals = {goal::highest, goal::lowest};
    auto const r = minimize_two(
        plane,
        [](auto const& c) {
            two_values v = costs(c);
            v[0] = -v[0];
            return v;
        },
        {}, options);
    REQUIRE(r.front.size() == 10);
    CHECK(r.front.front().values == two_values{0, 9});
    CHECK(r.front.back().values == two_values{-9, 0});
    CHECK(r.hypervolume({-10, 10}) == 55);
}

TEST_CASE("the default search finds the front in half of the evaluations")
{
    auto const r = minimize_two(plane, costs, {.evaluations = 50},
                                {.seed = 2, .progress = attune::silent_progress()});
    CHECK(r.evaluations == 50);
    CHECK(r.hypervolume({10, 10}) >= 54);
    CHECK(r.hypervolume({10, 10}) <= 55);
}

TEST_CASE("failures and values that are not finite count, and are on no front")
{
    recorded_progress seen;
    auto options = walking();
    options.progress = seen.sink();
    auto const r = minimize_two(
        plane,
        [](auto const& c) -> two_outcome {
            if (c[x] == 0) return attune::failure{attune::failure_stage::crash, "no"};
            if (c[x] == 1) return two_values{std::numeric_limits<double>::quiet_NaN(), 0};
            if (c[x] == 2) return two_values{0, -std::numeric_limits<double>::infinity()};
            return costs(c);
        },
        {}, options);
    CHECK(attune::total(r.failures) == 30);
    CHECK(r.front.size() == 7);
    CHECK(seen.events().back().text == "7 configurations from (3, 6) to (9, 0) after 100 "
                                       "evaluations");
    auto const none = minimize_two(
        plane,
        [](auto const&) -> two_outcome {
            return attune::failure{attune::failure_stage::crash, "at once"};
        },
        {.evaluations = 4}, options);
    CHECK(none.front.empty());
    CHECK(none.hypervolume({1, 1}) == 0);
    CHECK(has(seen.events().back().text, "every configuration failed: 4 crashed"));
    CHECK(has(seen.events().back().text, "at once"));
}

TEST_CASE("limits: evaluations, patience, and nothing to spend")
{
    recorded_progress seen;
    auto options = walking();
    options.progress = seen.sink();
    int calls = 0;
    auto const same = [&](auto const&) {
        ++calls;
        return two_values{1, 1};
    };
    CHECK(minimize_two(plane, same, {.evaluations = 7}, options).evaluations == 7);
    auto const impatient = minimize_two(plane, same, {.patience = 5}, options);
    CHECK(impatient.evaluations == 6); // the first one changed the front
    CHECK(impatient.ended == "stop rule");
    CHECK(impatient.front.size() == 1);
    CHECK(has(seen.events().back().text, "one configuration is best in both, (1, 1),"));
    calls = 0;
    auto const zero = minimize_two(plane, same, {.evaluations = 0}, options);
    CHECK(zero.evaluations == 1);
    CHECK(calls == 1);
    CHECK(zero.ended == "budget");
    CHECK(has(seen.events().back().text, "the budget is zero"));
}

TEST_CASE("rules that a search for a front does not have are named")
{
    recorded_progress seen;
    auto options = walking();
    options.progress = seen.sink();
    auto const r = minimize_two(plane, costs,
                                {.evaluations = 9, .target = 1e9, .expected_gain = 0.5}, options);
    CHECK(r.evaluations == 9);
    REQUIRE(!seen.events().empty());
    CHECK(seen.events().front().event == attune::progress_event::notice);
    CHECK(seen.events().front().text ==
          "search_limits without an effect in minimize_two: target, expected_gain");
}

TEST_CASE("the default is tried first, equal seeds give equal fronts, exceptions reach the caller")
{
    constexpr auto started = attune::space(x.with_default(4), y.with_default(5));
    std::vector<int> order[2];
    for (std::vector<int>& tried : order)
        (void)minimize_two(started,
                           [&](auto const& c) {
                               tried.push_back(c[x] * 10 + c[y]);
                               return costs(c);
                           },
                           {.evaluations = 20}, {.seed = 9, .progress = attune::silent_progress()});
    CHECK(order[0].front() == 45);
    CHECK(order[0] == order[1]);
    CHECK_THROWS_AS(
        (void)minimize_two(plane, [](auto const&) -> two_values { throw 5; }, {}, walking()), int);
}

TEST_CASE("Ctrl-C ends the search with the front so far")
{
    int calls = 0;
    auto const r = minimize_two(
        plane,
        [&](auto const& c) {
            if (++calls == 12) (void)std::raise(SIGINT);
            return costs(c);
        },
        {}, walking());
    CHECK(r.interrupted);
    CHECK(r.ended == "interrupted");
    CHECK(r.evaluations == 12);
    CHECK(!r.front.empty());
}
