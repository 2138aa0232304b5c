// tests/search/transfer/past_session.cpp : mirrors include/attune/search/transfer/past_session.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/past_session.hpp>

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/search/automatic.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using attune::past_session;
using attune::detail::read_past;
using attune::detail::text_of_past;

namespace {

past_session const session{"for N=512, 3:4",
                           {"TILE", "a:b", ""},
                           {{{"{2, 8}", "1:\n\t", ""}, 0.1 + 0.2},
                            {{}, std::nullopt},
                            {{"7"}, std::numeric_limits<double>::denorm_min()}},
                           1.0 / 3};

} // namespace

TEST_CASE("a session reads back as it was, every number bit for bit")
{
    std::optional<past_session> const again = read_past(text_of_past(session));
    REQUIRE(again);
    CHECK(again->name == session.name);
    CHECK(again->weight == session.weight);
    CHECK(again->parameters == session.parameters);
    REQUIRE(again->outcomes.size() == session.outcomes.size());
    for (std::size_t i = 0; i < session.outcomes.size(); ++i) {
        CHECK(again->outcomes[i].values == session.outcomes[i].values);
        CHECK(again->outcomes[i].value == session.outcomes[i].value);
    }
    CHECK(again->has_level);
    past_session order = session;
    order.has_level = false;
    CHECK(text_of_past(order) != text_of_past(session));
    std::optional<past_session> const ordered = read_past(text_of_past(order));
    REQUIRE(ordered);
    CHECK_FALSE(ordered->has_level);
    CHECK(ordered->weight == session.weight);
    CHECK(text_of_past(*read_past(text_of_past({}))) == text_of_past({}));
}

TEST_CASE("a text that is cut or changed is no session, or another one")
{
    std::string const whole = text_of_past(session);
    std::size_t sessions = 0;
    for (std::size_t n = 0; n < whole.size(); ++n)
        if (read_past(whole.substr(0, n))) ++sessions;
    // After the parameters, and after each of the first two outcomes.
    CHECK(sessions == 3);
    for (std::string const text : {"", ":", "x:", "1:", "-1:a", "1:a1:x1:0", "1:a1:11:9", "1:a1:1",
                                   "99999999999999999999:a", "1:a1:120:99999999999999999999"})
        CHECK_FALSE(read_past(text));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = '9';
        if (auto const read = read_past(damaged)) CHECK(read->outcomes.size() <= whole.size());
    }
}

namespace {

using attune::coordinate;

/// Six parameters of eight values each; the least value is 1, at `optimum` in each.
double value_at(std::span<coordinate const> p, std::uint32_t optimum)
{
    double sum = 0;
    for (coordinate const& c : p) {
        double const from = static_cast<double>(c.index) - optimum;
        sum += from * from;
    }
    return std::exp(sum / 40);
}

attune::chain_of_trees space_with(std::function<double(std::span<coordinate const>)> expected)
{
    attune::space_builder space;
    for (char const* const name : {"A", "B", "C", "D", "E", "F"})
        space.ordinal(name, {1, 2, 4, 8, 16, 32, 64, 128}, 1);
    if (expected) space.expect(std::move(expected));
    return attune::chain_of_trees(space.made());
}

/// The best of so many evaluations.
double found(attune::chain_of_trees const& space, std::size_t evaluations, std::uint64_t seed)
{
    attune::search::automatic search(space, seed);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < evaluations; ++i)
        for (attune::point const& p : search.ask(1)) {
            double const value = value_at(p, 5);
            best = std::min(best, value);
            search.tell(p, attune::measurement::exact(value));
        }
    return best;
}

} // namespace

TEST_CASE("the session of an expectation has random configurations and a way to better ones")
{
    auto const space = space_with([](std::span<coordinate const> p) { return value_at(p, 2); });
    attune::past_session const expected = attune::detail::session_of_expectation(space);
    CHECK(expected.parameters.size() == 6);
    CHECK(expected.outcomes.size() > 1000);
    double least = std::numeric_limits<double>::infinity();
    for (auto const& outcome : expected.outcomes) {
        REQUIRE(outcome.value.has_value());
        least = std::min(least, *outcome.value);
    }
    CHECK(least == 1); // the way ends at the optimum
}

TEST_CASE("a right expectation finds in three evaluations what a search without it does not in ten")
{
    auto const right =
        space_with([](std::span<coordinate const> p) { return 7 * value_at(p, 5) + 0.1; });
    auto const none = space_with({});
    double with = 0;
    double without = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        with += found(right, 3, seed) / 5;
        without += found(none, 10, seed) / 5;
    }
    CHECK(with < without);
    CHECK(with < 1.2);
}

TEST_CASE("a wrong expectation is believed until outcomes contradict it")
{
    auto const wrong = space_with([](std::span<coordinate const> p) { return 1 / value_at(p, 5); });
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        CHECK(found(wrong, 60, seed) < 1.2);
}

TEST_CASE("the expectations of a program's parts add up")
{
    attune::space_builder space;
    space.ordinal("A", {1, 2, 4}, 1);
    space.expect([](std::span<coordinate const> p) { return 1.0 + p[0].index; });
    space.expect([](std::span<coordinate const> p) { return 10.0 * p[0].index; });
    attune::description const made = space.made();
    std::vector<coordinate> at(1);
    at[0].index = 2;
    CHECK(made.expected(at) == 23);
}
