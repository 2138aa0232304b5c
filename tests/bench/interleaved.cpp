// tests/bench/interleaved.cpp : mirrors bench/support/interleaved.hpp and median.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "../../bench/support/interleaved.hpp"

TEST_CASE("a median is the middle, or the mean of two")
{
    double const never = std::numeric_limits<double>::infinity();
    CHECK(bench::median({3}) == 3);
    CHECK(bench::median({5, 1, 3}) == 3);
    CHECK(bench::median({5, 1, 3, 2}) == 2.5);
    CHECK(bench::median({1, never, never}) == never);
    CHECK(bench::median({1, never}) == never);
    CHECK(bench::median({never, 2, 1, 4}) == 3);
    CHECK_THROWS_AS((void)bench::median({}), std::invalid_argument);
}

TEST_CASE("functions take turns, the first round does not count")
{
    std::string order;
    auto const medians =
        bench::interleaved_medians({[&] { order += 'a'; }, [&] { order += 'b'; }}, 2);
    CHECK(order == "ababab");
    CHECK(medians.size() == 2);
}

TEST_CASE("what is done after each function is not in its time")
{
    constexpr double waited_s = 5e-3;
    std::string order;
    auto const medians =
        bench::interleaved_medians({[&] { order += 'a'; }, [&] { order += 'b'; }}, 5, [&] {
            order += '.';
            for (double const begin = bench::thread_seconds();
                 bench::thread_seconds() - begin < waited_s;) {
            }
        });
    CHECK(order == "a.b.a.b.a.b.a.b.a.b.a.b.");
    // Processor time: what an empty function needs of it does not depend on other programs.
    for (double const seconds : medians)
        CHECK(seconds < waited_s);
}
