// tests/declare/model/lower_quantity.cpp - quantities become nodes that trees and people can read.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/lower_quantity.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::description;
using attune::detail::quantity_lowering;
using attune::model::quantity;

namespace {

constexpr auto a = attune::ordinal<"A">(attune::values(1, 2, 3));
constexpr auto b = attune::ordinal<"B">(attune::values(1, 2, 3));
constexpr auto cut = attune::array_of<3>(attune::integer<"CUT">(0, 4));
constexpr auto limit = attune::input<"LIMIT", int>();

} // namespace

TEST_CASE("a factor of all terms is written once")
{
    description space = attune::lower(attune::space(a, b));
    quantity_lowering nodes(space);
    auto const text = [&](quantity const& q) {
        return attune::detail::text_of_node(space, space.nodes[nodes.lower(q)]);
    };
    CHECK(text(quantity(a) * b * 3 + quantity(a) * 5) == "A * (5 + 3 * B)");
    CHECK(text(quantity(a) - b) == "A - B");
    CHECK(text(0 - quantity(a) - b) == "0 - A - B");
    CHECK(text(-2 * quantity(a)) == "-2 * A");
    CHECK(text(7) == "7");
}

TEST_CASE("equal formulas share their nodes")
{
    description space = attune::lower(attune::space(a, b));
    quantity_lowering nodes(space);
    std::uint32_t const first = nodes.lower((quantity(a) + b) / 2);
    std::size_t const count = space.nodes.size();
    CHECK(nodes.lower((quantity(b) + a) / 2) == first);
    CHECK(space.nodes.size() == count);
}

TEST_CASE("elements of arrays, and inputs, are read")
{
    description space = attune::lower(attune::space(cut));
    quantity_lowering nodes(space);
    nodes.constrain(quantity(cut[0]) + cut[2] <= limit);
    description const bound = attune::bind_inputs(space, {limit(5)});
    REQUIRE(bound.constraints.size() == 1);
    CHECK(bound.constraints[0].scope == std::vector<std::uint32_t>{0, 2});
    attune::detail::evaluator const read(bound);
    attune::point at(3);
    at[0].index = 3;
    at[2].index = 2;
    CHECK(read.holds(bound.constraints[0], at));
    at[2].index = 3;
    CHECK_FALSE(read.holds(bound.constraints[0], at));
}

TEST_CASE("a constraint has the name of what it compares")
{
    description space = attune::lower(attune::space(a, b));
    quantity_lowering nodes(space);
    quantity const weights = (quantity(a) * b + a).called("weights of net");
    nodes.constrain(weights <= 6);
    nodes.constrain(weights >= 2);
    CHECK(space.constraints[0].text == "weights of net <= 6");
    REQUIRE(space.names.size() == 1);
    CHECK(space.names[0].name == "weights of net");
}
