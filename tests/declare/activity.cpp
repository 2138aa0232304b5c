// tests/declare/activity.cpp - where a parameter counts, and where it stands elsewhere.
// SPDX-License-Identifier: MIT
#include <attune/declare/activity.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/text.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::description;
using attune::point;
using namespace attune::detail;

namespace {

constexpr auto design = attune::categorical<"DESIGN">("plain", "packed", "blocked");
constexpr auto packed = attune::boolean<"PACKED">();
constexpr auto width = attune::ordinal<"WIDTH">(attune::values(4, 8, 16));
constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(1, 2, 3));
constexpr auto size = attune::input<"SIZE", int>();

template <class Pack>
description settled(Pack const& typed, std::vector<attune::input_value> const& inputs = {})
{
    description out = attune::bind_inputs(attune::lower(typed), inputs);
    settle_conditions(out);
    return out;
}

/// Whether parameter `i` counts where the parameters have these indices.
bool counts(description const& d, std::size_t i, std::vector<std::uint32_t> const& indices)
{
    point at;
    for (std::uint32_t const index : indices)
        at.push_back({index, 0});
    return is_active(d, i, at);
}

} // namespace

TEST_CASE("a condition may read what is declared later, and inputs")
{
    auto const typed = attune::space(width.active_if(design == "packed" && size > 64), design);
    description const large = settled(typed, {size(100)});
    CHECK(counts(large, 0, {2, 1}));
    CHECK_FALSE(counts(large, 0, {2, 0}));
    CHECK(counts(large, 1, {2, 0}));
    CHECK_FALSE(counts(settled(typed, {size(10)}), 0, {2, 1}));
}

TEST_CASE("several conditions must all hold, and other modifiers come before or behind them")
{
    auto const p =
        width.with_default(8).active_if(design != "plain").prior(1, 2, 1).active_if(packed);
    description const d = settled(attune::space(p, design, packed));
    CHECK(counts(d, 0, {0, 1, 1}));
    CHECK_FALSE(counts(d, 0, {0, 1, 0}));
    CHECK_FALSE(counts(d, 0, {0, 0, 1}));
    CHECK(d.parameters[0].prior.weights.size() == 3);
    CHECK(d.parameters[0].active.text == "DESIGN != \"plain\" && PACKED");
    CHECK(d.parameters[0].active.otherwise.index == 1);
}

TEST_CASE("a comparison that reads an inactive parameter is neither true nor false")
{
    auto const w = width.active_if(design == "packed");
    auto const with = [&](auto const& condition) {
        return settled(attune::space(design, w, depth.active_if(condition)));
    };
    std::vector<std::uint32_t> const plain{0, 2, 0}; // the width is not active there
    CHECK_FALSE(counts(with(width > 4), 2, plain));
    CHECK_FALSE(counts(with(!(width > 4)), 2, plain));
    CHECK_FALSE(counts(with(width > 4 && design == "plain"), 2, plain));
    CHECK(counts(with(width > 4 || design == "plain"), 2, plain));
    CHECK(counts(with(!(width > 4 && design == "packed")), 2, plain));
    CHECK_FALSE(counts(with(!(width > 4 || design == "packed")), 2, plain));
    CHECK(counts(with(width > 4), 2, {1, 2, 0}));
    CHECK_FALSE(counts(with(width > 4), 2, {1, 0, 0}));
}

TEST_CASE("an inactive parameter stands at its default, else at its first value")
{
    auto const order = attune::permutation<"ORDER", 3>().with_default({2, 0, 1});
    auto const rate = attune::real<"RATE">(1.0, 3.0);
    description const d = settled(
        attune::space(design, width.with_default(8).active_if(design == "packed"),
                      depth.active_if(design == "packed"), order.active_if(design == "packed"),
                      rate.active_if(design == "packed")));
    point at{{0, 0}, {2, 0}, {1, 0}, {0, 0}, {0, 1.25}};
    point const before = at;
    settle(d, at);
    CHECK(attune::text_of(d.parameters[1], at[1]) == "8");
    CHECK(attune::text_of(d.parameters[2], at[2]) == "1");
    CHECK(attune::text_of(d.parameters[3], at[3]) == "{2, 0, 1}");
    CHECK(at[4].real == 2.0);
    CHECK(attune::text_of(d, before) ==
          "DESIGN=plain WIDTH=(inactive) DEPTH=(inactive) ORDER=(inactive) RATE=(inactive)");
    point active = before;
    active[0].index = 1;
    point const kept = active;
    settle(d, active);
    CHECK(active == kept);
    CHECK(with_inactive_marked(d, kept) == kept);
    CHECK(with_inactive_marked(d, before)[1] == inactive_place);
}

TEST_CASE("each conditional parameter has one constraint, which a second call replaces")
{
    auto const typed = attune::space(design, width.active_if(design == "packed"));
    description d = settled(typed.where(width >= 4));
    REQUIRE(d.constraints.size() == 2);
    CHECK(d.constraints[0].settles == attune::no_index);
    CHECK(d.constraints[1].settles == 1);
    CHECK(d.constraints[1].text == "WIDTH is 4 unless DESIGN == \"packed\"");
    CHECK(d.constraints[1].scope == std::vector<std::uint32_t>{0, 1});
    d.parameters[1].default_text = "16";
    settle_conditions(d);
    REQUIRE(d.constraints.size() == 2);
    CHECK(d.constraints[1].text == "WIDTH is 16 unless DESIGN == \"packed\"");
    std::size_t const nodes = d.nodes.size();
    settle_conditions(d);
    CHECK(d.nodes.size() == nodes);
}

TEST_CASE("a condition belongs to the identity of a space, what follows from it does not")
{
    auto const with = attune::lower(attune::space(design, width.active_if(design == "packed")));
    auto const without = attune::lower(attune::space(design, width));
    auto const other = attune::lower(attune::space(design, width.active_if(design == "plain")));
    CHECK(schema_text(with) != schema_text(without));
    CHECK(schema_text(with) != schema_text(other));
    description bound = attune::bind_inputs(with);
    settle_conditions(bound);
    CHECK(schema_text(bound) == schema_text(with));
    // The text of releases that knew no conditions: it keeps what they recorded.
    CHECK(schema_text(without) ==
          "DESIGN;3 3 0 0;5 plain;6 packed;7 blocked;\nWIDTH;2 1 0 0;4;8;16;\n");
}

TEST_CASE("conditions of a description that lead back to their parameter are refused")
{
    description d = attune::lower(
        attune::space(design, width.active_if(design == "packed"), depth.active_if(width > 4)));
    d.parameters[0].active = d.parameters[2].active; // reads the width
    CHECK(undecided_parameter(d) == 0);
    CHECK_THROWS_WITH_AS(settle_conditions(d),
                         doctest::Contains("conditions of parameters lead back"), attune::error);
}

TEST_CASE("parameters with one condition share its value")
{
    description const d = settled(attune::space(design, width.active_if(design == "packed"),
                                                depth.active_if(design == "packed"),
                                                packed.active_if(design == "plain")));
    distinct_conditions const conditions(d);
    CHECK(conditions.size() == 2);
    CHECK(conditions.of(0) == attune::no_index);
    CHECK(conditions.of(1) == conditions.of(2));
    CHECK(conditions.of(3) != conditions.of(2));
    CHECK(conditions.at(d, point{{0, 0}, {0, 0}, {0, 0}, {0, 0}}) == std::vector<char>{0, 1});
}
