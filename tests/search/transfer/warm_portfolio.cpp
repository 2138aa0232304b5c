// tests/search/transfer/warm_portfolio.cpp : mirrors include/attune/search/transfer/warm_portfolio.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/warm_portfolio.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../../support/past_sessions.hpp"
#include "../../support/search_spaces.hpp"

using attune::past_session;
using attune::point;
using attune::transferred_starts;
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
    return search_spaces::space_of(
        {search_spaces::ordinal("x", x), search_spaces::ordinal("y", y)});
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
    CHECK(warm_portfolio(search_spaces::single(),
                         std::vector{past_session{"", {"only"}, {{{"7"}, 1.0}}}}, 3)
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
        if (count == most)
            CHECK(transferred_starts(space, std::vector{past}, 3) ==
                  warm_portfolio(space, std::vector{past}, 3));
    }
}

TEST_CASE("in a wide space the best of each session is transferred, the heaviest session's first")
{
    constexpr std::size_t count = 300;
    attune::chain_of_trees const space = search_spaces::vector_of(count);
    REQUIRE(warm_portfolio(space,
                           std::vector{past_sessions::of(
                               space, 9, 1, [](point const&) { return std::optional(1.0); })},
                           3)
                .empty());
    // How many of its values differ from those of `best`.
    auto const away_from = [](point const& best) {
        return [best](point const& p) -> std::optional<double> {
            std::size_t out = 1;
            for (std::size_t i = 0; i < best.size(); ++i)
                out += p[i].index != best[i].index ? 1U : 0U;
            return static_cast<double>(out);
        };
    };
    attune::random_engine engine(5);
    point const one = space.sample(engine);
    point const other = space.sample(engine);
    past_session const light = past_sessions::of(space, 40, 1, away_from(one), .5);
    past_session heavy = past_sessions::of(space, 40, 2, away_from(other), 2);
    past_session failed =
        past_sessions::of(space, 9, 3, [](point const&) { return std::optional<double>(); }, 9);
    past_session none = past_sessions::of(space, 9, 4, away_from(one), 0); // weighs nothing
    heavy.outcomes[7].value = std::numeric_limits<double>::quiet_NaN();
    std::vector<past_session> const sessions{light, failed, none, heavy, heavy};
    std::vector<point> const starts = transferred_starts(space, sessions, 3);
    REQUIRE(starts.size() == 2);
    auto const least_of = [](past_session const& s) {
        double out = 1e9;
        for (attune::past_outcome const& o : s.outcomes)
            if (o.value && *o.value < out) out = *o.value;
        return out;
    };
    CHECK(away_from(other)(starts[0]) == least_of(heavy));
    CHECK(away_from(one)(starts[1]) == least_of(light));
    CHECK(transferred_starts(space, sessions, 1) == std::vector<point>{starts[0]});
    CHECK(transferred_starts(space, {}, 3).empty());
    // A problem whose best is `moved` values away: what was best there is at most so much worse
    // here.
    point here = other;
    std::size_t const moved = 12;
    for (std::size_t i = 0; i < moved; ++i)
        here[i * 20].index = (here[i * 20].index + 1) % 3;
    CHECK(*away_from(here)(starts[0]) <= least_of(heavy) + moved);
}

TEST_CASE("in a wide space no start is a configuration that the same session says failed")
{
    constexpr std::size_t count = 300;
    attune::chain_of_trees const space = search_spaces::vector_of(count); // of 0, 1 and 2
    attune::description const& d = space.describe();
    auto const ends_with = [&](std::string const& last) {
        std::string out =
            attune::detail::text_at(d, attune::detail::named_values(d).front(), point(count));
        return out.replace(out.rfind('0'), 1, last);
    };
    past_session session{.name = "session", .parameters = {"xs"}};
    session.outcomes = {{{ends_with("3")}, 1.0}, // the nearest that is here is what failed
                        {{ends_with("2")}, std::nullopt},
                        {{ends_with("1")}, 2.0}};
    point works(count);
    works.back().index = 1;
    CHECK(transferred_starts(space, std::vector{session}, 3) == std::vector<point>{works});
    session.outcomes[1].value = 4.0; // it is not as good here
    CHECK(transferred_starts(space, std::vector{session}, 3) == std::vector<point>{works});
    session.outcomes[1].value = 1.5;
    works.back().index = 2;
    CHECK(transferred_starts(space, std::vector{session}, 3) == std::vector<point>{works});
}
