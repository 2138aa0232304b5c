// tests/search/two_level/level_policies.cpp : mirrors bench/search/level_policies.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <set>
#include <stdexcept>
#include <string>

#include "../../../bench/search/level_policies.hpp"
#include "../../support/search_spaces.hpp"

TEST_CASE(
    "a name without policies is the first configuration of Table 3.1, others differ by theirs")
{
    using attune::batch_choice;
    using attune::optimizer_memory;
    attune::two_level_options const naive = bench::level_variant_of("naive").options;
    CHECK(naive.choice == batch_choice::best_per_input);
    CHECK(naive.memory == optimizer_memory::reset);
    CHECK(naive.kappa == 0.1);
    CHECK(naive.memory_limit == 250);

    bench::level_variant const other = bench::level_variant_of(
        "heap+lru+kappa_.01+memory_500+valid_10+invalid_20+random_inputs_.5+inputs_7+sdr+no_rows");
    CHECK(other.options.choice == batch_choice::best_overall);
    CHECK(other.options.memory == optimizer_memory::least_recently_used);
    CHECK(other.options.kappa == 0.01);
    CHECK(other.options.memory_limit == 500);
    CHECK(other.options.valid == 10);
    CHECK(other.options.invalid == 20);
    CHECK(other.options.random_inputs == 0.5);
    CHECK(other.options.random_batch == naive.random_batch);
    CHECK(other.options.inputs == 7);
    CHECK(other.options.reduces_domain);
    CHECK_FALSE(other.sees_rows);
}

TEST_CASE("without its phase a parameter is as the inputs have it")
{
    attune::description d;
    for (char const* name : {"THREADS", "DEPTH_LOOP", "ROWS"})
        d.parameters.push_back(search_spaces::counting(name, 3));
    d.parameters[1].is_location = true;
    using enum attune::decision_role;
    auto const roles = [&](std::string const& names) {
        auto const role = bench::level_variant_of(names).options.role;
        return std::vector{role(d, 0), role(d, 1), role(d, 2)};
    };
    CHECK(roles("heap") == std::vector{parallel, compute_location, tuned});
    CHECK(roles("no_parallel_phase") == std::vector{design, compute_location, tuned});
    CHECK(roles("no_location_phase") == std::vector{parallel, design, tuned});
    CHECK(roles("no_parallel_phase+no_location_phase") == std::vector{design, design, tuned});
}

TEST_CASE("policies that are not known, and numbers that are none, are refused")
{
    for (char const* const wrong :
         {"", "heap+", "+heap", "none", "heap,lru", "kappa", "kappa_", "kappa_x", "kappa_1x",
          "kappa_-1", "kappa_nan", "kappa_inf", "inputs_.5", "memory_1e300", "heap_1"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS((void)bench::level_variant_of(wrong), std::runtime_error);
    }
}

TEST_CASE("the ablation has each of its rows once")
{
    std::set<std::string> once;
    for (std::string const& name : bench::level_variants()) {
        CHECK(once.insert(name).second);
        CHECK_NOTHROW((void)bench::level_variant_of(name));
    }
}
