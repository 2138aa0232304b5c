// tests/search/bayes/code_metrics.cpp : mirrors include/attune/search/bayes/code_metrics.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/code_metrics.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::point;

namespace {

point const here{{1, 0}, {2, 0}};
point const there{{1, 0}, {3, 0}};
double const none = std::nan("");

} // namespace

TEST_CASE("numbers are found by their point, in the order in which points became known")
{
    attune::detail::code_metrics known{2};
    CHECK(known.of(here) == nullptr);
    known.set(there, std::vector{1.5, -2.0});
    known.set(here, std::vector{3.0, none});
    REQUIRE(known.of(here) != nullptr);
    CHECK(known.of(here)->front() == 3.0);
    CHECK(std::isnan(known.of(here)->back()));
    REQUIRE(known.all().size() == 2);
    CHECK(known.all()[0].first == there);
    CHECK(known.all()[0].second == std::vector{1.5, -2.0});
}

TEST_CASE("what is set again replaces what was known, in its place")
{
    attune::detail::code_metrics known{1};
    known.set(here, std::vector{1.0});
    known.set(there, std::vector{2.0});
    known.set(here, std::vector{5.0});
    REQUIRE(known.all().size() == 2);
    CHECK(known.all()[0].second == std::vector{5.0});
    CHECK(*known.of(there) == std::vector{2.0});
}

TEST_CASE("numbers of another count, and none that is a number, say nothing")
{
    attune::detail::code_metrics known{2};
    known.set(here, std::vector{1.0});
    known.set(here, std::vector{1.0, 2.0, 3.0});
    known.set(here, std::vector{none, std::numeric_limits<double>::infinity()});
    CHECK(known.of(here) == nullptr);
    CHECK(known.all().empty());
}
