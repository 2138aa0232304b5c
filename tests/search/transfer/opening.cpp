// tests/search/transfer/opening.cpp : mirrors include/attune/search/transfer/opening.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/opening.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::detail::agreement;
using attune::detail::judged_outcome;
using attune::detail::opening;
using attune::detail::opening_step;

namespace {

judged_outcome as_expected(double expected, double value)
{
    return {.expected = expected, .value = value};
}
judged_outcome failed(double expected)
{
    return {.expected = expected, .surprise = std::numeric_limits<double>::infinity()};
}

} // namespace

TEST_CASE("agreement is the share of pairs in the expected order, less that of the others")
{
    CHECK(agreement({}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 1)}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 1), as_expected(0, 3), as_expected(1, 9)}) == 1);
    CHECK(agreement(std::vector{as_expected(-2, 9), as_expected(0, 3), as_expected(1, 1)}) == -1);
    // Of the differences 1, 3 and 2 the last one is against the order: (1 + 3 - 2) / 6.
    std::vector<judged_outcome> const mixed{as_expected(-2, 1), as_expected(-1, 9),
                                            as_expected(1, 3)};
    CHECK(agreement(mixed) == doctest::Approx(2.0 / 6));
    CHECK(agreement(std::vector{failed(-2), as_expected(0, 3)}) == -1);
    CHECK(agreement(std::vector{as_expected(-2, 3), failed(0)}) == 1);
    CHECK(agreement(std::vector{failed(-2), failed(0)}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 3), as_expected(0, 3)}) == 0);
}

TEST_CASE("where outcomes are as expected, the model follows, and one of the design is sixth")
{
    opening o(1);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    while (told.size() < opening::unsurprised) {
        told.push_back(as_expected(-2, 1));
        if (told.size() < opening::unsurprised) CHECK(o.next(told, {}) == opening_step::model);
    }
    CHECK(o.next(told, {}) == opening_step::design);
    told.push_back(as_expected(0, 4));
    CHECK(o.next(told, {}) == opening_step::model);
}

TEST_CASE("a surprise is compared with one of the design, and who was wrong is not asked again")
{
    for (bool const is_failure : {false, true}) {
        opening o(3);
        std::vector<judged_outcome> told;
        CHECK(o.next(told, {}) == opening_step::session);
        told.push_back(is_failure ? failed(-2) : as_expected(-2, 9));
        told.back().surprise = opening::surprising + 1;
        CHECK(o.next(told, {}) == opening_step::design);
        told.push_back(as_expected(0, 3));
        for (; told.size() < opening::length; told.push_back(as_expected(1, 2)))
            CHECK(o.next(told, {}) == opening_step::model);
    }
    // The device was slow, the session right: its others follow.
    opening o(3);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    told.push_back({.expected = -2, .value = 9, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::design);
    told.push_back({.expected = 0, .value = 30, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::session);
    CHECK(o.next(told, std::vector{-1.9}) == opening_step::session);
    CHECK(o.next(told, std::vector{-1.9, -1.8}) == opening_step::model);
}

TEST_CASE("one of the design that is expected to be good as well gets a second, not more")
{
    opening o(1);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    for (int i = 0; i < 2; ++i) {
        told.push_back({.expected = -2, .value = 9, .surprise = 3});
        CHECK(o.next(told, {}) == opening_step::design);
    }
    told.push_back({.expected = -2, .value = 9, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::model);
}

TEST_CASE("the default's outcome is a contrast by itself")
{
    opening o(2);
    std::vector<judged_outcome> told{as_expected(0.5, 10)};
    CHECK(o.next(told, {}) == opening_step::session);
    for (told.push_back({.expected = -2, .value = 5, .surprise = 3}); told.size() < opening::length;
         told.push_back(as_expected(-2, 1)))
        CHECK(o.next(told, {}) == (told.size() == 2 ? opening_step::session : opening_step::model));
}

TEST_CASE("while nothing works, or nothing is known, sessions and design take turns")
{
    opening o(1);
    std::vector<judged_outcome> told;
    for (std::size_t i = 0; i < opening::length; ++i) {
        CHECK(o.next(told, {}) == (i % 2 == 0 ? opening_step::session : opening_step::design));
        told.push_back(failed(-1));
    }
    CHECK(o.next(told, {}) == opening_step::model);
    opening at_once(1);
    std::vector<double> waiting;
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(at_once.next({}, waiting) ==
              (i % 2 == 0 ? opening_step::session : opening_step::design));
        waiting.push_back(i % 2 == 0 ? -2 : 0);
    }
}
