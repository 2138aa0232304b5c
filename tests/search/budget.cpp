// tests/search/budget.cpp - the limits of a loop, and what is left of them.
// SPDX-License-Identifier: MIT
#include <attune/search/budget.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using attune::budget;
using attune::wants_tuning;
using attune::what_is_left;
using attune::within;

TEST_CASE("a limit that is not given does not limit")
{
    constexpr budget none{};
    static_assert(wants_tuning(none));
    CHECK(std::isinf(none.seconds));
    CHECK(none.evaluations == std::numeric_limits<std::uint64_t>::max());
    CHECK(budget::of_evaluations(10) == budget{.evaluations = 10});
    CHECK(budget::of_seconds(60) == budget{.seconds = 60});
}

TEST_CASE("a budget with which nothing can be evaluated wants no tuning")
{
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (budget const limits : {budget{0, 60},
                                budget{60, 0},
                                budget{60, -1},
                                budget{60, nan},
                                budget::of_evaluations(0),
                                budget::of_seconds(0)})
        CHECK(!wants_tuning(limits));
    CHECK(wants_tuning({1, 1e-9}));
}

TEST_CASE("what is spent is taken off, and no more than there was")
{
    CHECK(what_is_left({10, 60}, {4, 45}) == budget{6, 15});
    CHECK(what_is_left({10, 60}, {11, 61}) == budget{0, 0});
    CHECK(what_is_left({10, 60}, {}) == budget{0, 0}); // without a limit is more than any
    CHECK(what_is_left(budget{}, {100, 1000}) == budget{});
    CHECK(what_is_left(budget::of_seconds(2), {100, 1.5}) == budget::of_seconds(0.5));
    CHECK(what_is_left(budget::of_evaluations(2), {1, 1e9}) == budget::of_evaluations(1));
    CHECK(!wants_tuning(what_is_left({60, 60}, {60, 1})));
}

TEST_CASE("of two budgets the tighter limits hold")
{
    CHECK(within({60, 10}, {20, 100}) == budget{20, 10});
    CHECK(within(budget{}, budget::usual()) == budget::usual());
}
