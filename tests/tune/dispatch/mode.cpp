// tests/tune/dispatch/mode.cpp - what the variables ATTUNE_MODE and ATTUNE_FORCE say.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/mode.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <doctest/doctest.h>

#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::miss_policy;
using attune::detail::complaints_of_variables;
using attune::detail::values_in;
using attune::detail::with_mode;

TEST_CASE("each policy has its name")
{
    attune::tuning_options const options{.on_miss = miss_policy::lookup_only};
    for (auto const& [name, policy] :
         {std::pair{"lookup_only", miss_policy::lookup_only},
          std::pair{"tune_if_missing", miss_policy::tune_if_missing},
          std::pair{"tune_in_background", miss_policy::tune_in_background},
          std::pair{"online", miss_policy::online}, std::pair{"always", miss_policy::always}}) {
        attune_test::set_variable const here("ATTUNE_MODE", name);
        CHECK(with_mode(options).on_miss == policy);
        CHECK(complaints_of_variables().empty());
    }
}

TEST_CASE("without the variable, or with a name that is none, the program's policy stays")
{
    attune::tuning_options const options{.on_miss = miss_policy::lookup_only};
    attune_test::set_variable const unset("ATTUNE_MODE", "");
    CHECK(with_mode(options).on_miss == miss_policy::lookup_only);
    CHECK(complaints_of_variables().empty());
    attune_test::set_variable const wrong("ATTUNE_MODE", "background");
    CHECK(with_mode(options).on_miss == miss_policy::lookup_only);
    CHECK(attune_test::contains(complaints_of_variables().at(0), "'background'"));
    CHECK(attune_test::contains(complaints_of_variables().at(0), "tune_in_background"));
}

TEST_CASE("ATTUNE_FORCE: names and values, with commas in them")
{
    using texts = attune::named_texts;
    CHECK(values_in("").empty());
    CHECK(values_in("TILE").empty());
    CHECK(values_in("-O2,=3").empty());
    CHECK(values_in("TILE=64") == texts{{"TILE", "64"}});
    CHECK(values_in("A=1,B_2=x=y,C=") == texts{{"A", "1"}, {"B_2", "x=y"}, {"C", ""}});
    CHECK(values_in("ORDER={2,1},T={4,{2,1}}") == texts{{"ORDER", "{2,1}"}, {"T", "{4,{2,1}}"}});
    CHECK(values_in("FLAGS=-O2,-g,TILE=8") == texts{{"FLAGS", "-O2,-g"}, {"TILE", "8"}});
    CHECK(values_in("A={1,B=2") == texts{{"A", "{1,B=2"}});
    CHECK(values_in(" A=1, B=2 ,") == texts{{"A", "1"}, {"B", "2"}});
    CHECK(values_in("FLAGS+=-O2  -g A=1") == texts{{"FLAGS", "-O2  -g"}, {"A", "1"}});
    attune_test::set_variable const wrong("ATTUNE_FORCE", "fast");
    REQUIRE(complaints_of_variables().size() == 1);
    CHECK(attune_test::contains(complaints_of_variables()[0], "names no value"));
}

TEST_CASE("ATTUNE_FORCE: a configuration as reports write it names all of its values")
{
    constexpr auto tile = attune::ordinal<"TILE">(attune::values(8, 16));
    constexpr auto order = attune::permutation<"ORDER", 3>();
    constexpr auto way = attune::categorical<"WAY">("plain", "two words");
    constexpr auto flags = attune::flags<"FLAGS">("", "-O2 -g", "-DX=1 -O1");
    attune::chain_of_trees const space(
        attune::lower(attune::space(tile, order, way.active_if(tile == 8), flags)));
    attune::description const& d = space.describe();
    for (std::uint64_t i = 0; i < space.size(); ++i) {
        attune::point const at = space.at(i);
        attune::named_texts const read = values_in(text_of(d, at));
        REQUIRE(read.size() == d.parameters.size());
        for (std::size_t p = 0; p < read.size(); ++p) {
            CHECK(read[p].first == d.parameters[p].name);
            bool const has_value = attune::detail::is_active(d, p, at);
            CHECK(read[p].second ==
                  (has_value ? text_of(d.parameters[p], at[p]) : attune::detail::inactive_text));
        }
    }
}
