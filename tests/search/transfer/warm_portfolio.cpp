// tests/search/transfer/warm_portfolio.cpp : mirrors include/attune/search/transfer/warm_portfolio.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/warm_portfolio.hpp>

#include <attune/search/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "../../support/past_sessions.hpp"
#include "../../support/search_spaces.hpp"

using attune::past_session;
using attune::point;
using attune::warm_portfolio;

namespace {

/// Lowest where the product of both numbers is `best`.
auto product(double best)
{
    return [=](attune::chain_of_trees const& space) {
        return [=, &space](point const& p) -> std::optional<double> {
            auto const& d = space.describe();
            double const v = static_cast<double>(d.parameters[0].integers[p[0].index] *
                                                 d.parameters[1].integers[p[1].index]);
            return std::exp(std::abs(std::log2(v / best)));
        };
    };
}

attune::chain_of_trees tiles(std::vector<std::int64_t> const& x, std::vector<std::int64_t> const& y)
{
    attune::description d;
    d.parameters = {search_spaces::ordinal("x", x), search_spaces::ordinal("y", y)};
    return attune::chain_of_trees(d);
}

} // namespace

TEST_CASE("what comes first was good in a session over other values")
{
    attune::chain_of_trees const old = tiles({1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 32});
    attune::chain_of_trees const now = tiles({3, 6, 12, 24, 48}, {1, 3, 9, 27});
    past_session const s = past_sessions::of(old, 36, 1, product(64)(old));
    std::vector<point> const first = warm_portfolio(now, std::vector{s}, 3);
    REQUIRE(first.size() == 3);
    // The values from 64 / 2 to 64 * 2 are a third of the space.
    CHECK(*product(64)(now)(first[0]) <= std::exp(1.0));
}

TEST_CASE("sessions that disagree both have a configuration among the first")
{
    attune::chain_of_trees const space = tiles({1, 2, 4, 8, 16, 32, 64}, {1, 2, 4, 8, 16, 32, 64});
    std::vector<past_session> const sessions{past_sessions::of(space, 40, 1, product(8)(space)),
                                             past_sessions::of(space, 40, 2, product(512)(space))};
    std::vector<point> const first = warm_portfolio(space, sessions, 3);
    REQUIRE(first.size() == 3);
    // Both are inside: a model that has not seen the corners expects too much of them.
    for (double const best : {8.0, 512.0}) {
        double least = 1e9;
        for (point const& p : first)
            least = std::min(least, *product(best)(space)(p));
        CHECK(least <= std::exp(1.0));
    }
}

TEST_CASE("without an outcome that worked there is nothing to begin with")
{
    attune::chain_of_trees const space = search_spaces::grid(5);
    CHECK(warm_portfolio(space, {}, 3).empty());
    past_session const failed =
        past_sessions::of(space, 9, 1, [](point const&) { return std::optional<double>(); });
    CHECK(warm_portfolio(space, std::vector{failed}, 3).empty());
    CHECK(warm_portfolio(
              search_spaces::single(), std::vector{past_session{"", {"only"}, {{{"7"}, 1.0}}}}, 3)
              .size() == 1);
}

TEST_CASE("a space too wide for a model has no portfolio")
{
    std::size_t const most = attune::search::automatic_options{}.most_modelled;
    for (std::size_t const count : {most, most + 1}) {
        CAPTURE(count);
        attune::chain_of_trees const space = search_spaces::vector_of(count);
        past_session const past = past_sessions::of(space, 12, 1, [](point const& p) {
            return std::optional<double>(1.0 + p[0].index + p[1].index);
        });
        CHECK(warm_portfolio(space, std::vector{past}, 3).empty() == (count > most));
    }
}
