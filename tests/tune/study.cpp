// tests/tune/study.cpp - minimize_over() of a study: typed configurations, and what it refuses.
// SPDX-License-Identifier: MIT
#include <attune/tune/study.hpp>

#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>

#include "../support/scratch_directory.hpp"

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 6));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 6));
constexpr auto plane = attune::space(x, y).where(x + y >= 3);

} // namespace

TEST_CASE("a study gives the best configuration, and joined again what it knows")
{
    support::scratch_directory const directory;
    attune::study const here{directory.path(), "plane"};
    int calls = 0;
    auto const cost = [&](auto const& c) {
        ++calls;
        return (c[x] - 4.0) * (c[x] - 4.0) + (c[y] - 2.0) * (c[y] - 2.0) + 1;
    };
    attune::study_options options;
    options.limits = {.evaluations = 20};
    options.minimize.progress = attune::silent_progress();
    auto const part = attune::minimize_over(here, plane, cost, options);
    CHECK(part.evaluations == 20);
    CHECK(part.ended == "budget");
    CHECK(calls == 20);
    REQUIRE(part.workers.size() == 1);
    CHECK(part.workers[0].name == part.worker);
    CHECK(part.workers[0].evaluations == 20);
    options.limits = {};
    auto const all = attune::minimize_over(here, plane, cost, options);
    CHECK(all.ended == "space");
    CHECK(all.evaluations == 43); // 49 without the 6 of x + y < 3
    CHECK(calls == 43);
    CHECK(all.workers.size() == 2);
    REQUIRE(all.best);
    CHECK((*all.best)[x] == 4);
    CHECK((*all.best)[y] == 2);
    CHECK(all.value == 1);
    auto const again = attune::minimize_over(here, plane, cost, options);
    CHECK(calls == 43);
    CHECK(again.value == 1);
    CHECK(again.evaluations == 43);
}
