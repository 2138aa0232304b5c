// tests/tune/dispatch/mode.cpp - what the variables ATTUNE_MODE and ATTUNE_FORCE say; forced values are kept.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/mode.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../space/space_generator.hpp"
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

using attune::point;
using attune::detail::forced_choice;
using attune::detail::forced_choice_of;
using attune_test::has;

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::values(8, 16, 32, 64));
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4));
constexpr auto space = attune::space(tile, unroll).where(tile * unroll <= 64);

std::string forced_in(attune::chain_of_trees const& chain, point const& base,
                      attune::named_texts const& wanted)
{
    forced_choice const made = forced_choice_of(wanted, chain, base);
    std::string out = made.at ? attune::text_of(chain.describe(), *made.at) : "none";
    for (std::string const& said : made.notices)
        out += "; " + said;
    return out;
}
std::string forced(attune::named_texts const& wanted)
{
    attune::chain_of_trees const chain = attune::build(space);
    return forced_in(chain, chain.at(0), wanted); // 8, 1
}

} // namespace

TEST_CASE("what is not forced is as near to the base as it can be: as brute force says")
{
    attune_tests::space_generator generator(5);
    attune::random_engine engine(6);
    int possible = 0, impossible = 0;
    while (possible < 200 || impossible < 50) {
        attune::description const drawn = generator.draw();
        auto const valid = attune_tests::valid_settings(drawn);
        if (valid.empty()) continue;
        attune::chain_of_trees const chain(drawn);
        point const base = valid[attune::uniform_below(engine, valid.size())];
        attune::named_texts wanted;
        point near = base;
        for (std::size_t i = 0; i < base.size(); ++i) {
            attune::parameter_description const& p = drawn.parameters[i];
            if (attune::uniform_below(engine, 2) == 0) continue;
            auto const value =
                static_cast<std::uint32_t>(attune::uniform_below(engine, p.value_count()));
            wanted.emplace_back(p.name, attune::text_of(p, {value, 0}));
            near[i] = *attune::coordinate_of(p, wanted.back().second);
        }
        if (wanted.empty()) continue;
        auto const cost = [&](point const& q) {
            std::size_t changes = 0;
            for (std::size_t i = 0; i < q.size(); ++i)
                changes += q[i] != near[i] ? 1U : 0U;
            return std::pair{changes, attune::distance(drawn, near, q)};
        };
        auto const has_values = [&](point const& q) {
            return std::all_of(wanted.begin(), wanted.end(), [&](auto const& one) {
                std::uint32_t const i = drawn.find_parameter(one.first);
                return q[i] == near[i];
            });
        };
        std::vector<std::pair<std::size_t, double>> costs;
        for (point const& q : valid)
            if (has_values(q)) costs.push_back(cost(q));
        forced_choice const made = forced_choice_of(wanted, chain, base);
        REQUIRE(made.at.has_value() == !costs.empty());
        CHECK(made.notices.empty() == !costs.empty());
        ++(costs.empty() ? impossible : possible);
        if (!made.at) continue;
        CHECK(has_values(*made.at));
        CHECK(chain.contains(*made.at));
        CHECK(cost(*made.at) == *std::min_element(costs.begin(), costs.end()));
    }
}

TEST_CASE("a notice says what is possible")
{
    CHECK(forced({{"TILE", "32"}}) == "TILE=32 UNROLL=1");
    CHECK(forced({{"TILE", "32"}, {"UNROLL", "2"}}) == "TILE=32 UNROLL=2");
    CHECK(forced({{"TILE", "33"}}) ==
          "none; ATTUNE_FORCE is ignored: TILE=33 is not possible; TILE can be 8, 16, 32, 64");
    CHECK(forced({{"TILE", "32"}, {"UNROLL", "4"}}) ==
          "none; ATTUNE_FORCE is ignored: no valid configuration has TILE=32 UNROLL=4; TILE can be "
          "8, 16 with UNROLL=4, or UNROLL can be 1, 2 with TILE=32");
    std::string const unknown = forced({{"BLOCK", "1"}, {"UNROLL", "4"}});
    CHECK(has(unknown, "TILE=8 UNROLL=4"));
    CHECK(has(unknown, "BLOCK is no parameter of this kernel, which has TILE, UNROLL"));
    CHECK(has(forced({{"BLOCK", "1"}}), "none; ATTUNE_FORCE: BLOCK is no parameter"));
    CHECK(forced({}) == "none");
}

TEST_CASE("what is forced may leave out inactive parameters, and is told where it names one")
{
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
    constexpr auto two = attune::space(design, tile.with_default(16).active_if(design == "packed"));
    auto const choose = [&](attune::named_texts const& wanted, std::uint64_t base) {
        attune::chain_of_trees const chain = attune::build(two);
        return forced_in(chain, chain.at(base), wanted);
    };
    CHECK(choose({{"DESIGN", "plain"}}, 4) == "DESIGN=plain TILE=(inactive)");
    CHECK(choose({{"DESIGN", "plain"}, {"TILE", "(inactive)"}}, 4) ==
          "DESIGN=plain TILE=(inactive)");
    CHECK(choose({{"TILE", "64"}}, 0) == "DESIGN=packed TILE=64");
    CHECK(choose({{"DESIGN", "plain"}, {"TILE", "64"}}, 0) ==
          "DESIGN=plain TILE=(inactive); ATTUNE_FORCE: TILE=64 has no effect: it counts only if "
          "DESIGN == \"packed\"");
}

TEST_CASE("arrays and long orders are forced as one value, elements of arrays alone")
{
    constexpr auto cut = attune::array_of<3>(attune::integer<"CUT">(1, 4));
    constexpr auto order = attune::permutation<"ORDER", 13>();
    constexpr auto both = attune::space(cut, order).where(cut[0] <= cut[1], cut[1] <= cut[2]);
    attune::chain_of_trees const chain = attune::build(both);
    auto const choose = [&](attune::named_texts const& wanted) {
        return forced_in(chain, point(chain.describe().parameters.size()), wanted);
    };
    std::string const first = " ORDER={0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}";
    std::string const last = "{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}";
    CHECK(choose({{"CUT", "{1, 3, 3}"}}) == "CUT={1, 3, 3}" + first);
    CHECK(choose({{"ORDER", last}}) == "CUT={1, 1, 1} ORDER=" + last);
    CHECK(choose({{"CUT[2]", "4"}}) == "CUT={1, 1, 4}" + first);
    CHECK(choose({{"CUT[0]", "3"}, {"CUT[2]", "3"}}) == "CUT={3, 3, 3}" + first);
    CHECK(has(choose({{"CUT", "{1, 2}"}}), "CUT can be {...} with 3 values"));
    CHECK(has(choose({{"ORDER", "{1, 2}"}}), "ORDER can be any order of 0 to 12"));
    CHECK(has(choose({{"CUT", "{3, 2, 1}"}}), "no valid configuration has CUT={3, 2, 1}"));
    CHECK(has(choose({{"cut", "{1, 2}"}}), "which has CUT, ORDER"));
}
