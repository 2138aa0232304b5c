// tests/declare/text.cpp - every value of every kind reads back from its own text.
// SPDX-License-Identifier: MIT
#include <attune/declare/text.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

struct row {
    char const* name;
    std::uint32_t index;
    char const* text;
};

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
    row const rows[] = {
        {"SIZE", 6, "64"},    {"SHIFT", 0, "-9"},           {"FACTOR", 1, "0.1"},
        {"FACTOR", 3, "1.0"}, {"MODE", 0, "static"},        {"SHAPE", 1, "7"},
        {"VEC", 1, "true"},   {"ORDER", 1, "{0, 1, 3, 2}"}, {"SPLIT", 0, "{1, 1, 36}"}};
    for (row const& r : rows) {
        CAPTURE(r.name);
        CHECK(text_of(named(space, r.name), {r.index, 0}) == r.text);
    }
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
    row const rows[] = {{"SIZE", 6, " 64 "},       {"SIZE", 6, "64u"},     {"SIZE", 6, "64UL"},
                        {"SIZE", 6, "064"},        {"FACTOR", 1, "0.10f"}, {"FACTOR", 3, "1"},
                        {"FACTOR", 0, "-15e-1"},   {"VEC", 1, "1"},        {"VEC", 0, "0"},
                        {"ORDER", 1, "{0,1,3,2}"}, {"MODE", 0, " static"}, {"SHAPE", 0, "3"}};
    for (row const& r : rows) {
        CAPTURE(r.text);
        CHECK(coordinate_of(named(space, r.name), r.text) == coordinate{r.index, 0});
    }
    CHECK(coordinate_of(named(space, "SPLIT"), "{ 1,1 ,36 }") == coordinate{0, 0});
}

TEST_CASE("a text that is no value of the parameter is nothing")
{
    attune::description const space = every_kind();
    for (char const* text : {"", "65", "six", "64x", "6.4", "{64, 64}", "64,", ",64"})
        CHECK_FALSE(coordinate_of(named(space, "SIZE"), text));
    for (char const* text : {"", "0.11", "f", "0.1ff", "nan"})
        CHECK_FALSE(coordinate_of(named(space, "FACTOR"), text));
    for (char const* text : {"", "2", "yes", "Tru", "1.5"})
        CHECK_FALSE(coordinate_of(named(space, "VEC"), text));
    for (char const* text : {"", "{0, 1, 2}", "{0, 1, 2, 4}", "{0, 0, 1, 2}", "{0, 1, 3, 2"})
        CHECK_FALSE(coordinate_of(named(space, "ORDER"), text));
    for (char const* text : {"{6, 6}", "{5, 6, 1}", "{36}", "{-1, -1, 36}"})
        CHECK_FALSE(coordinate_of(named(space, "SPLIT"), text));
    for (char const* text : {"", "stat", "Static"})
        CHECK_FALSE(coordinate_of(named(space, "MODE"), text));
}

TEST_CASE("texts of other programs are read: Python's truth values, real numbers, lists")
{
    attune::description const space = every_kind();
    row const rows[] = {{"VEC", 1, "True"},
                        {"VEC", 0, "FALSE"},
                        {"VEC", 1, "1.0"},
                        {"VEC", 0, "0e0"},
                        {"SIZE", 6, "64.0"},
                        {"SIZE", 6, "6.4e1"},
                        {"SIZE", 0, "True"},
                        {"SIZE", 10, "1.024E+3"},
                        {"SIZE", 6, "+64"},
                        {"SHIFT", 9, "-0.0"},
                        {"SHIFT", 9, "false"},
                        {"SHIFT", 0, "-9.00"},
                        {"FACTOR", 3, "+1.0"},
                        {"FACTOR", 3, "10e-1"},
                        {"SHAPE", 0, "3.0"},
                        {"ORDER", 1, "[0,1,3,2]"},
                        {"ORDER", 1, "(0, 1, 3, 2)"},
                        {"ORDER", 1, "[0.0, 1.0, 3.0, 2.0]"}};
    for (row const& r : rows) {
        CAPTURE(r.text);
        CHECK(coordinate_of(named(space, r.name), r.text) == coordinate{r.index, 0});
    }
    CHECK(coordinate_of(named(space, "SPLIT"), "(1, 1, 36)") == coordinate{0, 0});
    for (char const* text : {"64.5", "1e400", "--64", "64.0.0", "[64]x", "0x40", "6 4e", "nan"})
        CHECK_FALSE(coordinate_of(named(space, "SIZE"), text));
    // Labels keep their own spelling; another one is read where it means a single label.
    parameter_description labels;
    labels.kind = parameter_kind::categorical;
    labels.type = attune::value_kind::text;
    labels.labels = {"12.1", "12.10", "True", "[1, 2]", "1e3", "7.0", "7.00"};
    for (std::uint32_t i = 0; i < labels.labels.size(); ++i)
        CHECK(coordinate_of(labels, labels.labels[i]) == coordinate{i, 0});
    CHECK(coordinate_of(labels, "true") == coordinate{2, 0});
    CHECK(coordinate_of(labels, "(1,2)") == coordinate{3, 0});
    CHECK(coordinate_of(labels, "1000.0") == coordinate{4, 0});
    CHECK_FALSE(coordinate_of(labels, "7")); // one of two releases
    CHECK_FALSE(coordinate_of(labels, "TRU"));
}

TEST_CASE("the usual spelling of a value is one for all its texts, and leaves other texts alone")
{
    using attune::detail::usual_spelling;
    for (char const* const text : {"1", "1.0", "+1", "1e0", "01", " 1.00 ", "10e-1"})
        CHECK(usual_spelling(text) == "1");
    for (char const* const text : {"true", "True", "TRUE"})
        CHECK(usual_spelling(text) == "true");
    for (char const* const text : {"0", "-0", "-0.0", "0e5", ".0", "0."})
        CHECK(usual_spelling(text) == "0");
    CHECK(usual_spelling("5e-1") == "0.5");
    CHECK(usual_spelling("-1.5E1") == "-15");
    CHECK(usual_spelling("9007199254740993") == "9007199254740993"); // no double
    CHECK(usual_spelling("[1.0, 2]") == "{1, 2}");
    CHECK(usual_spelling("(True, 0.25)") == "{true, 0.25}");
    for (char const* const text : {"",    " ",      "row",        "a b",    "1 x",
                                   "nan", "inf",    "-",          "+",      ".",
                                   "e5",  "1e999",  "0x10",       "64u",    "18446744073709551617",
                                   "{}",  "[a, 1]", "[[1], [2]]", "[1, 2)", "{1,,2}",
                                   "yes", "1,5",    "12.10"})
        CHECK(usual_spelling(text) == text);
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

using attune::lower;
using attune::space;
using attune::detail::schema_text;

namespace {

template <class Pack>
std::string schema(Pack const& typed)
{
    return schema_text(lower(typed));
}

constexpr auto a = attune::ordinal<"A">(attune::values(1, 2, 4));
constexpr auto b = attune::ordinal<"B">(attune::values(1, 2, 4));
constexpr auto n = attune::input<"N", int>();
constexpr auto m = attune::input<"M", int>();

} // namespace

TEST_CASE("the same declaration gives the same text")
{
    CHECK(schema(space(a, b).where(a <= b)) == schema(space(a, b).where(a <= b)));
}

TEST_CASE("whatever changes the space changes the text")
{
    std::vector<std::string> const texts{
        schema(space(a)),
        schema(space(b)),
        schema(space(a, b)),
        schema(space(b, a)),
        schema(space(a, b).where(a <= b)),
        schema(space(a, b).where(a < b)),
        schema(space(attune::ordinal<"A">(attune::values(1, 2, 8)))),
        schema(space(attune::ordinal<"A">(attune::values(1.0, 2.0, 4.0)))),
        schema(space(attune::categorical<"A">(1, 2, 4))),
        schema(space(attune::categorical<"A">("1", "2", "4"))),
        schema(space(attune::categorical<"A">("1;1 2", "4"))),
        schema(space(attune::boolean<"A">())),
        schema(space(attune::real<"A">(0.0, 1.0))),
        schema(space(attune::real<"A">(0.0, 2.0))),
        schema(space(attune::real<"A">(0.5, 2.0))),
        schema(space(attune::real<"A">(0.5, 2.0).log_scale())),
        schema(space(attune::permutation<"A", 3>())),
        schema(space(attune::permutation<"A", 4>())),
        schema(space(attune::tile<"A", 2>(64))),
        schema(space(attune::tile<"A", 3>(64))),
        schema(space(attune::tile<"A", 2>(32))),
        schema(space(attune::tile<"A", 2>(n))),
        schema(space(attune::tile<"A", 2>(m))),
        schema(space(attune::ordinal<"A">(attune::range(1, 8)))),
        schema(space(attune::ordinal<"A">(attune::range(1, 9)))),
        schema(space(attune::ordinal<"A">(attune::range(2, 8)))),
        schema(space(attune::ordinal<"A">(attune::powers_of_two(1, 8)))),
        schema(space(attune::ordinal<"A">(attune::powers_of_two(1, n)))),
        schema(space(attune::ordinal<"A">(attune::range(1, n)))),
    };
    std::set<std::string> const different(texts.begin(), texts.end());
    CHECK(different.size() == texts.size());
}

TEST_CASE("a bound that is computed is part of the text")
{
    // N // 2, N // 4 and N * 2, as a file may have them.
    auto const bounded = [](attune::op code, std::int64_t by) {
        attune::description made = lower(space(attune::ordinal<"A">(attune::range(1, n))));
        std::uint32_t const input = made.parameters[0].rule.bound_node;
        attune::expression_node literal;
        literal.code = attune::op::integer;
        literal.integer = by;
        made.nodes.push_back(literal);
        attune::expression_node joined;
        joined.code = code;
        joined.first = input;
        joined.second = input + 1;
        made.nodes.push_back(joined);
        made.parameters[0].rule.bound_node = input + 2;
        return schema_text(made);
    };
    CHECK(bounded(attune::op::floor_divide, 2) == bounded(attune::op::floor_divide, 2));
    std::set<std::string> const texts{
        bounded(attune::op::floor_divide, 2), bounded(attune::op::floor_divide, 4),
        bounded(attune::op::multiply, 2), schema(space(attune::ordinal<"A">(attune::range(1, n))))};
    CHECK(texts.size() == 4);
}

TEST_CASE("defaults and priors guide the search and are no part of the text")
{
    CHECK(schema(space(a.with_default(4))) == schema(space(a)));
    CHECK(schema(space(a.prior(1.0, 2.0, 3.0))) == schema(space(a)));
}

TEST_CASE("the text of a space is that of earlier releases")
{
    // Written by attune 0.4: stores know spaces by a hash of it.
    CHECK(schema(space(a, attune::permutation<"P", 3>(), attune::tile<"T", 2>(n)).where(a < 4)) ==
          "A;2 1 0 0;1;2;4;\nP;5 4 0 3;\nT;6 4 0 2;0 0 1 N;\nA < 4\n");
}

TEST_CASE("arrays and long orders have one line, and whatever changes them changes the text")
{
    auto const range = [](int high) { return attune::integer<"A">(0, high); };
    // An order is named as a short one, whatever its coordinates are.
    CHECK(schema(space(attune::permutation<"P", 100>())) == "P;5 4 0 100;\n");
    CHECK(schema(space(attune::array_of<3>(range(9)))) == "A;array 3;1 1 0 0;0 0 1 9;\n");
    std::vector<std::string> const texts{
        schema(space(range(9))),
        schema(space(attune::array_of<1>(range(9)))),
        schema(space(attune::array_of<3>(range(9)))),
        schema(space(attune::array_of<4>(range(9)))),
        schema(space(attune::array_of<3>(range(8)))),
        schema(space(attune::array_of<3>(attune::integer<"A">(0, n)))),
        schema(space(attune::array_of<3>(attune::boolean<"A">()))),
        schema(space(attune::permutation<"A", 12>())),
        schema(space(attune::permutation<"A", 13>())),
        schema(space(attune::permutation<"A", 14>())),
    };
    CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == texts.size());
    CHECK(schema(space(attune::array_of<3>(range(9)).with_default({1, 2, 3}))) ==
          schema(space(attune::array_of<3>(range(9)))));
}

TEST_CASE("which elements of an array have a condition of their own is part of the text")
{
    auto const with = [](std::size_t odd) {
        return schema(space(b, attune::array_of<3>(a).active_if_each(
                                   [&](std::size_t i) { return b == (i == odd ? 4 : 2); })));
    };
    std::set<std::string> const different{with(0), with(1), with(2), with(3)};
    CHECK(different.size() == 4);
    // Without such conditions the text is that of attune 0.4.
    CHECK(with(3) == "B;2 1 0 0;1;2;4;\nA;array 3;2 1 0 0;1;2;4;active_if B == 2;\n");
}
