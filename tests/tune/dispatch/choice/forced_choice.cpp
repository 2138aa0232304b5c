// tests/tune/dispatch/choice/forced_choice.cpp - given values are kept, and the rest moves as little as possible.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/choice/forced_choice.hpp>

#include <attune/declare/pack.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../../laws/tree.hpp"
#include "../../../space/space_generator.hpp"
#include "../../../support/texts.hpp"

using attune::point;
using attune::detail::forced_choice;
using attune::detail::forced_choice_of;
using attune_test::has;

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::values(8, 16, 32, 64));
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4));
constexpr auto space = attune::space(tile, unroll).where(tile * unroll <= 64);

std::string forced(attune::named_texts const& wanted)
{
    attune::chain_of_trees const chain = attune::build(space);
    forced_choice const made = forced_choice_of(wanted, chain, chain.at(0)); // 8, 1
    std::string out = made.at ? attune::text_of(chain.describe(), *made.at) : "none";
    for (std::string const& said : made.notices)
        out += "; " + said;
    return out;
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
        forced_choice const made = forced_choice_of(wanted, chain, chain.at(base));
        std::string out = made.at ? attune::text_of(chain.describe(), *made.at) : "none";
        for (std::string const& said : made.notices)
            out += "; " + said;
        return out;
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
        forced_choice const made =
            forced_choice_of(wanted, chain, point(chain.describe().parameters.size()));
        std::string out = made.at ? attune::text_of(chain.describe(), *made.at) : "none";
        for (std::string const& said : made.notices)
            out += "; " + said;
        return out;
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
