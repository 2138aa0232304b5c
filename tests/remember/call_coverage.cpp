// tests/remember/call_coverage.cpp - coverage as a sentence, and the calls of several programs.
// SPDX-License-Identifier: MIT
#include <attune/remember/call_coverage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using attune::call_coverage;
using attune::uncovered_calls;
using attune::detail::add_to;
using attune::detail::most_uncovered_shapes;
using attune::detail::past_calls;

namespace {

past_calls program(double from_s, double to_s, std::uint64_t calls)
{
    return {{.calls = calls, .by_winner = calls}, from_s, to_s};
}

} // namespace

TEST_CASE("the sentence: shares of calls and time, shapes with reasons, and how many more")
{
    attune::call_coverage of;
    CHECK(of.text() == "no calls so far");
    of.calls = 1'000;
    of.by_winner = 970;
    of.seconds = 2;
    of.winner_s = 1.98;
    of.rest = {{.shape = "argument 0 has 999 elements", .why = "no memory", .calls = 29},
               {.shape = "argument 0 has 7 elements",
                .why = "wrong where argument 0 has 7 elements",
                .calls = 1}};
    CHECK(of.text() == "97 % of 1000 calls and 99 % of their time ran the winner; the rest: 29 "
                       "calls where argument 0 has 999 elements: no memory; 1 call: wrong where "
                       "argument 0 has 7 elements");
    of.calls = 1'000'000; // no share is rounded to all
    of.by_winner = 999'999;
    of.seconds = 0;
    of.rest.resize(1);
    of.more_shapes = 12;
    CHECK(of.text() == "99.9 % of 1000000 calls ran the winner; the rest: 29 calls where argument "
                       "0 has 999 elements: no memory; and 12 more shapes");
}

TEST_CASE("equal shapes with equal reasons become one; the 16 with the most seconds stay")
{
    call_coverage sum;
    std::uint64_t rest = 0;
    std::mt19937 random(3);
    for (int i = 0; i < 50; ++i) {
        call_coverage one{.calls = 10, .by_winner = 4, .seconds = 3, .winner_s = 1};
        for (unsigned shape = 0; shape < 3; ++shape)
            one.rest.push_back({.shape = std::to_string(random() % 12),
                                .why = std::to_string(random() % 2),
                                .calls = 2,
                                .seconds = 0.25 * static_cast<double>(shape)});
        rest += 6;
        add_to(sum, one);
    }
    CHECK(sum.calls == 500);
    CHECK(sum.by_winner == 200);
    CHECK(sum.seconds == 150);
    CHECK(sum.winner_s == 50);
    REQUIRE(sum.rest.size() == most_uncovered_shapes);
    CHECK(sum.more_shapes > 0);
    std::uint64_t listed = 0;
    for (std::size_t i = 0; i < sum.rest.size(); ++i) {
        listed += sum.rest[i].calls;
        if (i > 0) CHECK(sum.rest[i - 1].seconds >= sum.rest[i].seconds);
        for (std::size_t other = 0; other < i; ++other)
            CHECK((sum.rest[i].shape != sum.rest[other].shape ||
                   sum.rest[i].why != sum.rest[other].why));
    }
    CHECK(listed <= rest);
}

TEST_CASE("sums stay at the largest number")
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr double longest = std::numeric_limits<double>::max();
    uncovered_calls const shape{.shape = "a", .why = "b", .calls = most, .seconds = longest};
    call_coverage const large{.calls = most,
                              .by_winner = most - 1,
                              .seconds = longest,
                              .winner_s = longest,
                              .rest = {shape},
                              .more_shapes = most};
    call_coverage sum = large;
    add_to(sum, large);
    CHECK(sum.calls == most);
    CHECK(sum.by_winner == most);
    CHECK(sum.seconds == longest);
    CHECK(sum.winner_s == longest);
    CHECK(sum.more_shapes == most);
    REQUIRE(sum.rest.size() == 1);
    CHECK(sum.rest[0].calls == most);
    CHECK(sum.rest[0].seconds == longest);
    CHECK(!sum.text().empty());
}

TEST_CASE("calls of programs that ran at the same time add up; a later program replaces them")
{
    past_calls known;
    known.take(program(10, 20, 0)); // no calls
    CHECK(known.coverage.calls == 0);
    known.take(program(10, 20, 5));
    CHECK(known.coverage.calls == 5);
    known.take(program(12, 30, 7)); // at the same time
    CHECK(known.coverage.calls == 12);
    CHECK(known.from_s == 10);
    CHECK(known.to_s == 30);
    known.take(program(1, 10, 100)); // it ended before
    CHECK(known.coverage.calls == 12);
    known.take(program(30, 31, 3)); // it began later
    CHECK(known.coverage.calls == 3);
    CHECK(known.from_s == 30);
}

TEST_CASE("the programs of the latest time count, as in a list of all of them")
{
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round) {
        past_calls known;
        std::vector<past_calls> latest; // the model: programs that count
        for (int i = 0; i < 8; ++i) {
            auto const from = static_cast<double>(random() % 20);
            auto const length = static_cast<double>(1 + random() % 5);
            past_calls const next = program(from, from + length, 1 + random() % 100);
            known.take(next);
            double begin = std::numeric_limits<double>::infinity(), end = 0;
            for (past_calls const& one : latest) {
                begin = std::min(begin, one.from_s);
                end = std::max(end, one.to_s);
            }
            if (next.to_s <= begin && !latest.empty()) continue;
            if (next.from_s >= end) latest.clear();
            latest.push_back(next);
        }
        std::uint64_t calls = 0;
        for (past_calls const& one : latest)
            calls += one.coverage.calls;
        REQUIRE(known.coverage.calls == calls);
        REQUIRE(known.coverage.by_winner == calls);
    }
}
