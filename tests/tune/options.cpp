// tests/tune/options.cpp - the defaults of a tuning.
// SPDX-License-Identifier: MIT
#include <attune/tune/options.hpp>

#include <doctest/doctest.h>

TEST_CASE("the default options can be used as they are")
{
    attune::tuning_options const options;
    CHECK(options.limits == attune::search_limits::usual());
    CHECK(options.limits.total == attune::search_limits{});
    CHECK(options.limits.evaluations == 60);
    CHECK(options.search.seed == 0);
    CHECK(options.on_miss == attune::miss_policy::tune_if_missing);
    CHECK(!options.compile_ahead);
    CHECK(static_cast<bool>(options.progress));
    CHECK(static_cast<bool>(options.search.strategy));
    CHECK(options.measuring.precision > 0);
    CHECK(options.limits.first_run_ratio > 1);
    CHECK(options.limits.default_run_s > 0);
    CHECK(options.measuring.protect == attune::isolation::automatic);
}

TEST_CASE("the limits of a tuning are those of its search, and what is left of their total")
{
    attune::tuning_limits const given{.evaluations = 3,
                                      .seconds = 4,
                                      .target = 5,
                                      .patience = 6,
                                      .improvement = 7,
                                      .expected_gain = 8,
                                      .total = {.seconds = 2}};
    attune::search_limits const one{3, 4, 5, 6, 7, 8};
    CHECK(given == one);
    CHECK(attune::tuning_limits{} == attune::search_limits{});
    attune::search_limits const left =
        attune::detail::within(given, attune::detail::what_is_left(given.total, 1, 0.5));
    CHECK(left == attune::search_limits{3, 1.5, 5, 6, 7, 8});
}

TEST_CASE("options can be named one by one in order")
{
    attune::tuning_options const options{.limits = {.evaluations = 5},
                                         .search = {.seed = 3},
                                         .progress = attune::silent_progress(),
                                         .on_miss = attune::miss_policy::always};
    CHECK(options.limits.evaluations == 5);
    CHECK(options.search.seed == 3);
    CHECK(options.on_miss == attune::miss_policy::always);
}
