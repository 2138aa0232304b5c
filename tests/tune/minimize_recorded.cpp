// tests/tune/minimize_recorded.cpp : mirrors include/attune/tune/minimize_recorded.hpp
// SPDX-License-Identifier: MIT
#include <attune/tune/minimize_recorded.hpp>

#include <attune/search/random.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../support/scratch_directory.hpp"

TEST_CASE("a search of a recording finds the fastest row, and counts what failed")
{
    support::scratch_directory const scratch;
    std::string text = "X,Y,time_ms,status\n";
    for (int x = 0; x < 6; ++x)
        for (int y = 0; y < 6; ++y)
            text += std::to_string(x) + ',' + std::to_string(y) + ',' +
                    (x == y ? ",compile" : std::to_string(10 + 3 * x - y) + ".5,ok") + '\n';
    support::write_file(scratch.file("grid.csv"), text);
    attune::recorded const grid(scratch.file("grid.csv"));
    attune::minimize_options quiet;
    quiet.progress = attune::silent_progress();
    quiet.search = attune::search_with<attune::random_searcher>();
    auto const all = attune::minimize(grid, {}, quiet);
    CHECK(all.evaluations == 36);
    CHECK(all.failures[static_cast<std::size_t>(attune::failure_stage::compile)] == 6);
    REQUIRE(all.best);
    CHECK((*all.best)[0].index == 0);
    CHECK((*all.best)[1].index == 5);
    CHECK(all.value == 5.5);
    auto const some = attune::minimize(grid, {.evaluations = 10}, quiet);
    CHECK(some.evaluations == 10);
    CHECK(some.value >= all.value);
    CHECK(some.space->size() == grid.space().size());
}
