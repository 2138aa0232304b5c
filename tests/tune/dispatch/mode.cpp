// tests/tune/dispatch/mode.cpp - ATTUNE_MODE has priority over the program's policy.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/mode.hpp>

#include <doctest/doctest.h>

#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::miss_policy;
using attune::detail::complaint_of_mode;
using attune::detail::with_mode;

TEST_CASE("each policy has its name")
{
    attune::tuning_options const options{.on_miss = miss_policy::lookup_only};
    for (auto const& [name, policy] :
         {std::pair{"lookup_only", miss_policy::lookup_only},
          std::pair{"tune_if_missing", miss_policy::tune_if_missing},
          std::pair{"tune_in_background", miss_policy::tune_in_background},
          std::pair{"always", miss_policy::always}}) {
        attune_test::set_variable const here("ATTUNE_MODE", name);
        CHECK(with_mode(options).on_miss == policy);
        CHECK(complaint_of_mode().empty());
    }
}

TEST_CASE("without the variable, or with a name that is none, the program's policy stays")
{
    attune::tuning_options const options{.on_miss = miss_policy::lookup_only};
    attune_test::set_variable const unset("ATTUNE_MODE", "");
    CHECK(with_mode(options).on_miss == miss_policy::lookup_only);
    CHECK(complaint_of_mode().empty());
    attune_test::set_variable const wrong("ATTUNE_MODE", "background");
    CHECK(with_mode(options).on_miss == miss_policy::lookup_only);
    CHECK(attune_test::contains(complaint_of_mode(), "'background'"));
    CHECK(attune_test::contains(complaint_of_mode(), "tune_in_background"));
}
