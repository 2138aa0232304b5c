// tests/search/history.cpp : mirrors include/attune/search/history.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/history.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

using attune::measurement;
using attune::point;

namespace {

point at(std::uint32_t i) { return {{i, 0}}; }

attune::failure const broken{attune::failure_stage::crash, "no"};

} // namespace

TEST_CASE("outcomes are kept in the order in which their points came first")
{
    attune::search_history h;
    CHECK(h.best() == nullptr);
    CHECK(h.failures_of_last(5) == 0);
    CHECK(h.tell(at(3), measurement::exact(2)) == std::pair<std::size_t, bool>(0, true));
    CHECK(h.tell(at(1), broken) == std::pair<std::size_t, bool>(1, true));
    CHECK(h.tell(at(2), measurement{1.5, 1.4, 1.6, 9}) == std::pair<std::size_t, bool>(2, true));
    CHECK(h.worked() == 2);
    CHECK(h.failed() == 1);
    CHECK(h.best()->where == at(2));
    CHECK(h.told()[2].low == 1.4);
    CHECK(h.best_places(5) == std::vector<std::size_t>{2, 0});
    CHECK(h.best_places(1) == std::vector<std::size_t>{2});
    CHECK(h.failures_of_last(2) == 0.5);
}

TEST_CASE("an outcome told again replaces the first, in its place")
{
    attune::search_history h;
    h.tell(at(0), measurement::exact(1));
    h.tell(at(1), measurement::exact(2));
    CHECK(h.tell(at(0), measurement::exact(3)) == std::pair<std::size_t, bool>(0, false));
    CHECK(h.best()->where == at(1)); // the best got worse
    h.tell(at(1), broken);
    CHECK(h.worked() == 1);
    CHECK(h.best()->where == at(0));
    h.tell(at(1), measurement::exact(0.5));
    CHECK(h.worked() == 2);
    CHECK(h.best()->where == at(1));
    h.tell(at(0), broken);
    h.tell(at(1), broken);
    CHECK(h.best() == nullptr);
}

TEST_CASE("a measurement that is no number is a failure")
{
    attune::search_history h;
    h.tell(at(0), measurement::exact(std::nan("")));
    CHECK(h.failed() == 1);
}

TEST_CASE("points wait until they are told")
{
    attune::search_history h;
    h.wait_for(at(0));
    h.wait_for(at(1));
    h.tell(at(0), broken);
    CHECK(h.pending() == std::vector<point>{at(1)});
}
