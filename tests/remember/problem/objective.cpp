// tests/remember/problem/objective.cpp : mirrors include/attune/remember/problem/objective.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/objective.hpp>

#include <doctest/doctest.h>
#include <string>

using attune::detail::objective_of;
using attune::detail::problem_objective;

TEST_CASE("the numbers of a kernel are seconds, and the lower is better")
{
    problem_objective const of = objective_of({.kernel = "k", .compiler = "clang 19 -O3"});
    CHECK(of.is_seconds);
    CHECK(of.text(1.25e-3) == "1.25 ms");
    CHECK(of.is_better(1, 2));
    CHECK_FALSE(of.is_better(1, 1));
    CHECK(of.gain(1, 4) == 4);
    CHECK(of.gain(0, 4) == 0);
    CHECK(of.gain(-1, 4) == 0);
}

TEST_CASE("what a program prints has the unit and the direction that the setting names")
{
    auto const of = [](attune::named_texts setting) {
        return objective_of({.kernel = "k", .compiler = "attune minimize", .setting = setting});
    };
    CHECK_FALSE(of({}).is_seconds);
    CHECK(of({}).text(31.5) == "31.5");
    CHECK(of({{"measured", "wall time"}}).text(0.5) == "500 ms");
    problem_objective const rate = of({{"better", "higher"}, {"unit", "GFLOP/s"}});
    CHECK(rate.text(-31.25) == "-31.25 GFLOP/s");
    CHECK(rate.is_better(2, 1));
    CHECK(rate.gain(8, 2) == 4);
    CHECK(of({{"measured", "pattern x"}, {"unit", "J"}}).text(1e9) == "1e+09 J");
}
