// tests/search/optimizer_core.cpp : mirrors include/attune/search/optimizer_core.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/optimizer_core.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/event.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/stop.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../support/search_spaces.hpp"

namespace {

attune::detail::optimizer_core make(attune::chain_of_trees const& space,
                                    attune::search_limits const& limits = {})
{
    return {space, attune::search_with<attune::exhaustive_searcher>(), 0, true, limits};
}

} // namespace

TEST_CASE("it waits for what is asked before the evaluations are over")
{
    attune::detail::optimizer_core core = make(search_spaces::grid(4), {.evaluations = 3});
    std::vector<attune::point> const first = core.ask(2);
    REQUIRE(first.size() == 2);
    CHECK(core.ask(2).size() == 1);
    CHECK(core.ask(1).empty());
    CHECK(!core.stopped());
    core.observe(core.space().at(std::uint64_t{9}), attune::measurement::exact(4));
    core.tell(first[0], attune::measurement::exact(5));
    core.tell(first[1], attune::measurement::exact(6));
    CHECK(core.ask(1).empty());
    REQUIRE(core.stopped());
    CHECK(core.stopped()->reason == attune::stop_reason::evaluations);
    CHECK(core.best()->second == 4);
}

TEST_CASE("one valid configuration is asked, told and returned")
{
    attune::detail::optimizer_core core = make(search_spaces::single());
    std::vector<attune::point> const all = core.ask(5);
    REQUIRE(all.size() == 1);
    core.tell(all.front(), attune::measurement::exact(2));
    CHECK(core.ask(1).empty());
    CHECK(core.stopped()->reason == attune::stop_reason::exhausted);
    CHECK(core.best()->first == all.front());
}

TEST_CASE("when everything fails it explores to the end and says so")
{
    attune::detail::optimizer_core core(search_spaces::constrained(),
                                        attune::search_with<attune::search::automatic>(), 3, true,
                                        {});
    int asked = 0;
    for (std::vector<attune::point> next = core.ask(1); !next.empty(); next = core.ask(1)) {
        ++asked;
        core.tell(next.front(), attune::failure{attune::failure_stage::compile, "no"});
    }
    CHECK(asked == 36);
    CHECK(!core.best());
    CHECK(core.stopped()->text == "all 36 configurations were tried, and none of them worked");
}

TEST_CASE("the expected gain ends a search that has nothing left to find, and is reported")
{
    attune::detail::optimizer_core core(search_spaces::grid(20),
                                        attune::search_with<attune::search::automatic>(), 1, true,
                                        {.expected_gain = 0.005});
    int asked = 0;
    for (std::vector<attune::point> next = core.ask(1); !next.empty(); next = core.ask(1)) {
        ++asked;
        double const x = next.front()[0].index - 12.0;
        double const y = next.front()[1].index - 5.0;
        core.tell(next.front(), attune::measurement::exact(10 + x * x + y * y));
    }
    CHECK(asked < 100);
    CHECK(core.best()->second < 10.1);
    REQUIRE(core.expected_gain());
    CHECK(*core.expected_gain() < 0.005);
    CHECK(core.stopped()->reason == attune::stop_reason::expected_gain);
}

TEST_CASE("a point that has no place in the space is refused")
{
    attune::detail::optimizer_core core = make(search_spaces::grid(4));
    CHECK_THROWS_AS(core.tell(std::nullopt, attune::measurement::exact(1)), attune::error);
    CHECK_THROWS_AS(core.observe(attune::point{}, attune::measurement::exact(1)), attune::error);
}
