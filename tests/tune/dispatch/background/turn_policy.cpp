// tests/tune/dispatch/background/turn_policy.cpp - which of several tunings goes on.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/background/turn_policy.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

using namespace attune::detail;

namespace {

using seconds = std::vector<double>;

/// So many equal ones.
seconds flat(std::size_t n, double s) { return seconds(n, s); }

std::vector<turn_policy> all_policies()
{
    return {most_gain(), most_gain(budget_unit::seconds), round_robin(), equal_split(1e9),
            gradient()};
}

} // namespace

TEST_CASE("what is over or weighs nothing has no turn, by any policy")
{
    seconds const had = flat(10, 1.0);
    for (turn_policy const& next : all_policies()) {
        CHECK(!next({}));
        std::vector<turn_task> tasks{{.weight = 0, .best = had},
                                     {.best = had, .is_over = true},
                                     {.best = had},
                                     {.weight = 0}};
        CHECK(next(tasks) == 2);
        tasks[2].is_over = true;
        CHECK(!next(tasks));
    }
}

TEST_CASE("all begin first, the heaviest before the others, and have their minimum")
{
    seconds const one = flat(1, 1.0);
    seconds const three = flat(3, 1.0);
    seconds const four = flat(4, 100.0);
    turn_policy const next = most_gain(budget_unit::evaluations, 4);
    CHECK(next(std::vector<turn_task>{{.weight = 1}, {.weight = 3}, {.weight = 9, .best = one}}) ==
          1);
    CHECK(next(std::vector<turn_task>{{.weight = 1e9, .best = four},
                                      {.weight = 1e-9, .best = three},
                                      {.weight = 1e-9, .best = one}}) == 2);
    CHECK(next(std::vector<turn_task>{{.weight = 1e9, .best = four},
                                      {.weight = 1e-9, .best = three}}) == 1);
    CHECK(next(std::vector<turn_task>{{.weight = 1, .best = four}, {.weight = 2, .best = four}}) ==
          1);
}

TEST_CASE("the worth of an evaluation is in seconds of the whole")
{
    seconds const same = flat(20, 2.0);
    CHECK(worth_of_next({.best = same}) == doctest::Approx(2.0 * 0.2 / 20));
    CHECK(worth_of_next({.weight = 5, .best = same}) == doctest::Approx(5 * 2.0 * 0.2 / 20));
    CHECK(worth_of_next({.best = same, .expected_gain = 0.3}) == doctest::Approx(2.0 * 0.5 / 20));
    // Where a model may not exist yet, much may be gained.
    CHECK(worth_of_next({.best = flat(8, 2.0)}) == doctest::Approx(2.0 * 0.7 / 8));
    CHECK(worth_of_next({.best = flat(8, 2.0), .expected_gain = 0}) ==
          doctest::Approx(2.0 * 0.2 / 8));
    // Near the roofline little can be gained; one that is wrong starves no task.
    CHECK(worth_of_next({.best = same, .least_s = 1.5}) == doctest::Approx(0.5 * 0.2 / 20));
    CHECK(worth_of_next({.best = same, .least_s = 2.5}) == doctest::Approx(0.2 * 0.2 / 20));
    // The latest quarter counts, and gains before it do not.
    seconds const early{8, 8, 2, 2, 2, 2, 2, 2};
    seconds const late{8, 8, 8, 8, 8, 8, 4, 2};
    CHECK(worth_of_next({.best = early, .expected_gain = 0}) == doctest::Approx(2.0 * 0.2 / 8));
    CHECK(worth_of_next({.best = late, .expected_gain = 0}) ==
          doctest::Approx(2.0 * (0.2 / 8 + 0.3 * std::log(4.0) / 2)));
    CHECK(worth_of_next({.best = flat(1, 3.0)}) == doctest::Approx(3.0 * 0.7));
}

TEST_CASE("a heavy task without a model yet does not wait for a light one with a model")
{
    seconds const heavy = flat(6, 0.3);
    seconds const light = flat(12, 0.2);
    CHECK(most_gain(budget_unit::evaluations, 6)(
              std::vector<turn_task>{{.best = heavy}, {.best = light, .expected_gain = 0.4}}) == 0);
}

TEST_CASE("where time is spent, an evaluation is worth what it saves for its time")
{
    seconds const had = flat(10, 1.0);
    std::vector<turn_task> const tasks{{.weight = 3, .best = had, .spent_s = 50},
                                       {.weight = 1, .best = had, .spent_s = 1}};
    CHECK(most_gain()(tasks) == 0);
    CHECK(most_gain(budget_unit::seconds)(tasks) == 1);
}

TEST_CASE("round robin and the equal split count evaluations, the gradient is MetaSchedule's")
{
    seconds const two = flat(2, 1.0);
    seconds const five = flat(5, 1.0);
    CHECK(round_robin()(std::vector<turn_task>{{.best = five}, {.best = two}}) == 1);
    CHECK(round_robin()(std::vector<turn_task>{{.best = two}, {.best = two}}) == 0);
    CHECK(equal_split(5)(std::vector<turn_task>{{.best = five}, {.best = two}}) == 1);
    CHECK(!equal_split(2)(std::vector<turn_task>{{.best = five}, {.best = two}}));
    CHECK(equal_split(3, budget_unit::seconds)(std::vector<turn_task>{
              {.best = two, .spent_s = 4}, {.best = five, .spent_s = 2}}) == 1);
    // g1 = (4 - 1) / 3, g2 = 1 / 6: .2 + .1333; against 2 * .8 / 5 = .32 and 2.2 * .8 / 5 = .352.
    seconds const fell{4, 4, 4, 2, 2, 1};
    CHECK(gradient()(std::vector<turn_task>{{.weight = 2, .best = five}, {.best = fell}}) == 1);
    CHECK(gradient()(std::vector<turn_task>{{.weight = 2.2, .best = five}, {.best = fell}}) == 0);
}
