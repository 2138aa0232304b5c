// tests/declare/schema.cpp - equal texts for equal spaces, different ones for different spaces.
// SPDX-License-Identifier: MIT
#include <attune/declare/schema.hpp>

#include <attune/declare/expression/operators.hpp>
#include <attune/declare/input.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

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
