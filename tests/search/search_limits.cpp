// tests/search/search_limits.cpp - the limits of a search, and what is left of them.
// SPDX-License-Identifier: MIT
#include <attune/search/search_limits.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>

using attune::search_limits;
using attune::detail::wants_tuning;
using attune::detail::what_is_left;
using attune::detail::within;

TEST_CASE("a limit that is not given does not limit")
{
    constexpr search_limits none{};
    static_assert(wants_tuning(none));
    CHECK(std::isinf(none.seconds));
    CHECK(none.evaluations == std::numeric_limits<std::uint64_t>::max());
    CHECK(search_limits::of_evaluations(10) == search_limits{.evaluations = 10});
    CHECK(search_limits::of_seconds(60) == search_limits{.seconds = 60});
}

TEST_CASE("limits with which nothing can be evaluated want no tuning")
{
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (search_limits const limits :
         {search_limits{0, 60}, search_limits{60, 0}, search_limits{60, -1}, search_limits{60, nan},
          search_limits::of_evaluations(0), search_limits::of_seconds(0)})
        CHECK(!wants_tuning(limits));
    CHECK(wants_tuning({1, 1e-9}));
}

TEST_CASE("what is spent is taken off, and no more than there was")
{
    CHECK(what_is_left({10, 60}, 4, 45) == search_limits{6, 15});
    CHECK(what_is_left({10, 60}, 11, 61) == search_limits{0, 0});
    CHECK(what_is_left({10, 60}, search_limits::any_number, search_limits::any_time) ==
          search_limits{0, 0}); // without a limit is more than any
    CHECK(what_is_left(search_limits{}, 100, 1000) == search_limits{});
    CHECK(what_is_left(search_limits::of_seconds(2), 100, 1.5) == search_limits::of_seconds(0.5));
    CHECK(what_is_left(search_limits::of_evaluations(2), 1, 1e9) ==
          search_limits::of_evaluations(1));
    CHECK(!wants_tuning(what_is_left({60, 60}, 60, 1)));
}

TEST_CASE("of two limits the tighter one holds")
{
    CHECK(within({60, 10}, {20, 100}) == search_limits{20, 10});
    CHECK(within(search_limits{}, search_limits::usual()) == search_limits::usual());
}
