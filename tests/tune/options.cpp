// tests/tune/options.cpp - the defaults of a tuning.
// SPDX-License-Identifier: MIT
#include <attune/tune/options.hpp>

#include <doctest/doctest.h>

TEST_CASE("the default options can be used as they are")
{
    attune::tuning_options const options;
    CHECK(options.limits == attune::budget::usual());
    CHECK(options.limits.total == attune::budget{});
    CHECK(options.limits.evaluations == 60);
    CHECK(options.search.seed == 0);
    CHECK(!options.retune);
    CHECK(!options.compile_ahead);
    CHECK(static_cast<bool>(options.progress));
    CHECK(static_cast<bool>(options.search.strategy));
    CHECK(options.measuring.precision > 0);
    CHECK(options.limits.first_run_ratio > 1);
    CHECK(options.limits.default_run_s > 0);
    CHECK(options.measuring.protect == attune::isolation::automatic);
}

TEST_CASE("options can be named one by one in order")
{
    attune::tuning_options const options{.limits = {.evaluations = 5},
                                         .search = {.seed = 3},
                                         .progress = attune::silent_progress(),
                                         .retune = true};
    CHECK(options.limits.evaluations == 5);
    CHECK(options.search.seed == 3);
    CHECK(options.retune);
}
