// tests/declare/text.cpp - every value of every kind reads back from its own text.
// SPDX-License-Identifier: MIT
#include <attune/declare/text.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

using attune::coordinate;
using attune::coordinate_of;
using attune::parameter_description;
using attune::parameter_kind;
using attune::text_of;

namespace {

enum class layout { rows = 3, columns = 7 };

attune::description every_kind()
{
    constexpr auto space = attune::space(
        attune::ordinal<"SIZE">(attune::powers_of_two(1, 1 << 30)), attune::integer<"SHIFT">(-9, 9),
        attune::ordinal<"FACTOR">(attune::values(-1.5, 0.1, 1.0 / 3.0, 1.0, 1e300)),
        attune::categorical<"MODE">("static", "guided", "a b", "ab"),
        attune::categorical<"SHAPE">(layout::rows, layout::columns), attune::boolean<"VEC">(),
        attune::permutation<"ORDER", 4>(), attune::tile<"SPLIT", 3>(36));
    return attune::bind_inputs(attune::lower(space));
}

parameter_description const& named(attune::description const& space, std::string_view name)
{
    return space.parameters[space.find_parameter(name)];
}

} // namespace

TEST_CASE("every value of every kind reads back from its own text")
{
    attune::description const space = every_kind();
    for (parameter_description const& p : space.parameters) {
        REQUIRE(p.value_count() > 0);
        for (std::uint32_t i = 0; i < p.value_count(); ++i) {
            INFO(p.name, " ", text_of(p, {i, 0}));
            CHECK(coordinate_of(p, text_of(p, {i, 0})) == coordinate{i, 0});
        }
    }
}

TEST_CASE("values are written as a C++ compiler reads them")
{
    attune::description const space = every_kind();
    CHECK(text_of(named(space, "SIZE"), {6, 0}) == "64");
    CHECK(text_of(named(space, "SHIFT"), {0, 0}) == "-9");
    CHECK(text_of(named(space, "FACTOR"), {1, 0}) == "0.1");
    CHECK(text_of(named(space, "FACTOR"), {3, 0}) == "1.0");
    CHECK(text_of(named(space, "MODE"), {0, 0}) == "static");
    CHECK(text_of(named(space, "SHAPE"), {1, 0}) == "7");
    CHECK(text_of(named(space, "VEC"), {1, 0}) == "true");
    CHECK(text_of(named(space, "ORDER"), {1, 0}) == "{0, 1, 3, 2}");
    CHECK(text_of(named(space, "SPLIT"), {0, 0}) == "{1, 1, 36}");
}

TEST_CASE("the text of a typed value is the text of the same value in a table")
{
    CHECK(attune::detail::text_of_value(64) == "64");
    CHECK(attune::detail::text_of_value(std::int64_t{-9}) == "-9");
    CHECK(attune::detail::text_of_value(true) == "true");
    CHECK(attune::detail::text_of_value(1.0) == "1.0");
    CHECK(attune::detail::text_of_value(0.5F) == "0.5");
    CHECK(attune::detail::text_of_value(layout::columns) == "7");
    CHECK(attune::detail::text_of_value(std::string_view("static")) == "static");
    CHECK(attune::detail::text_of_value(std::array{2, 0, 1}) == "{2, 0, 1}");
}

TEST_CASE("texts are read with tolerance for spaces, suffixes and zeros")
{
    attune::description const space = every_kind();
    CHECK(coordinate_of(named(space, "SIZE"), " 64 ") == coordinate{6, 0});
    CHECK(coordinate_of(named(space, "SIZE"), "64u") == coordinate{6, 0});
    CHECK(coordinate_of(named(space, "SIZE"), "64UL") == coordinate{6, 0});
    CHECK(coordinate_of(named(space, "SIZE"), "064") == coordinate{6, 0});
    CHECK(coordinate_of(named(space, "FACTOR"), "0.10f") == coordinate{1, 0});
    CHECK(coordinate_of(named(space, "FACTOR"), "1") == coordinate{3, 0});
    CHECK(coordinate_of(named(space, "FACTOR"), "-15e-1") == coordinate{0, 0});
    CHECK(coordinate_of(named(space, "VEC"), "1") == coordinate{1, 0});
    CHECK(coordinate_of(named(space, "VEC"), "0") == coordinate{0, 0});
    CHECK(coordinate_of(named(space, "ORDER"), "{0,1,3,2}") == coordinate{1, 0});
    CHECK(coordinate_of(named(space, "SPLIT"), "{ 1,1 ,36 }") == coordinate{0, 0});
    CHECK(coordinate_of(named(space, "MODE"), " static") == coordinate{0, 0});
    CHECK(coordinate_of(named(space, "SHAPE"), "3") == coordinate{0, 0});
}

TEST_CASE("a text that is no value of the parameter is nothing")
{
    attune::description const space = every_kind();
    for (char const* text : {"", "65", "six", "64x", "6.4", "{64, 64}", "64,", ",64"})
        CHECK_FALSE(coordinate_of(named(space, "SIZE"), text));
    for (char const* text : {"", "0.11", "f", "0.1ff", "nan"})
        CHECK_FALSE(coordinate_of(named(space, "FACTOR"), text));
    for (char const* text : {"", "2", "yes", "True"})
        CHECK_FALSE(coordinate_of(named(space, "VEC"), text));
    for (char const* text : {"", "{0, 1, 2}", "{0, 1, 2, 4}", "{0, 0, 1, 2}", "{0, 1, 3, 2"})
        CHECK_FALSE(coordinate_of(named(space, "ORDER"), text));
    for (char const* text : {"{6, 6}", "{5, 6, 1}", "{36}", "{-1, -1, 36}"})
        CHECK_FALSE(coordinate_of(named(space, "SPLIT"), text));
    for (char const* text : {"", "stat", "Static"})
        CHECK_FALSE(coordinate_of(named(space, "MODE"), text));
}

TEST_CASE("a permutation of twelve items is read without listing its half a billion orders")
{
    parameter_description order;
    order.kind = parameter_kind::permutation;
    order.type = attune::value_kind::list;
    order.parts = 12;
    auto const last = coordinate_of(order, "{11,10,9,8,7,6,5,4,3,2,1,0}");
    REQUIRE(last);
    CHECK(last->index == 479001599);
}

TEST_CASE("a real parameter reads back to the very same double, and only inside its interval")
{
    parameter_description p;
    p.kind = parameter_kind::real;
    p.low = -10;
    p.high = 1e6;
    for (double const v : {-10.0, 0.0, 0.1, 1.0 / 3.0, 3.0e-17, 123456.789, 1e6}) {
        CHECK(coordinate_of(p, text_of(p, {0, v})) == coordinate{0, v});
        CHECK(std::strtod(text_of(p, {0, v}).c_str(), nullptr) == v);
    }
    CHECK_FALSE(coordinate_of(p, "-10.5"));
    CHECK_FALSE(coordinate_of(p, "1000001"));
    CHECK_FALSE(coordinate_of(p, "nan"));
    CHECK_FALSE(coordinate_of(p, "inf"));
    CHECK_FALSE(coordinate_of(p, ""));
}

TEST_CASE("a whole configuration is one line")
{
    attune::description const space = every_kind();
    CHECK(text_of(space, {{3, 0}, {9, 0}, {3, 0}, {1, 0}, {0, 0}, {0, 0}, {23, 0}, {0, 0}}) ==
          "SIZE=8 SHIFT=0 FACTOR=1.0 MODE=guided SHAPE=3 VEC=false ORDER={3, 2, 1, 0} "
          "SPLIT={1, 1, 36}");
}

TEST_CASE("a coordinate outside a parameter's values is said to be none")
{
    // Configurations of files reach the text before anything has looked at them.
    attune::description const space = every_kind();
    for (parameter_description const& p : space.parameters)
        if (p.kind != parameter_kind::real)
            CHECK(text_of(p, {p.value_count(), 0}) ==
                  "(no value " + std::to_string(p.value_count()) + ")");
    CHECK(text_of(space, {{3, 0}}).starts_with("SIZE=8 SHIFT=(no value) "));
}

TEST_CASE("flags are written as what they add, in a configuration; alone as they are kept")
{
    attune::description const space = attune::bind_inputs(
        attune::lower(attune::space(attune::ordinal<"SIZE">(attune::values(1, 2)),
                                    attune::flags<"FLAGS">("-O3", "-mprefer-vector-width=512"))));
    attune::point const at{coordinate{1, 0}, coordinate{1, 0}};
    CHECK(text_of(space, at) == "SIZE=2 FLAGS+=-mprefer-vector-width=512");
    CHECK(text_of(named(space, "FLAGS"), at[1]) == "-mprefer-vector-width=512");
    CHECK(coordinate_of(named(space, "FLAGS"), "-mprefer-vector-width=512") == at[1]);
}

TEST_CASE("texts of inputs: those that have a value, reals with a point")
{
    attune::description space;
    for (char const* name : {"n", "unknown", "scale", "low"})
        space.inputs.emplace_back().name = name;
    space.inputs[0].value = attune::number::of(std::int64_t{4096});
    space.inputs[2].value = attune::number::of(2.0);
    space.inputs[3].value = attune::number::of(std::numeric_limits<std::int64_t>::min());
    auto const texts = attune::detail::texts_of_inputs(space);
    REQUIRE(texts.size() == 3);
    CHECK(texts[0] == std::pair<std::string, std::string>{"n", "4096"});
    CHECK(texts[1] == std::pair<std::string, std::string>{"scale", "2.0"});
    CHECK(texts[2] == std::pair<std::string, std::string>{"low", "-9223372036854775808"});
}
