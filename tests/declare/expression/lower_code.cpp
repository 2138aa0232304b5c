// tests/declare/expression/lower_code.cpp - postfix code becomes shared nodes and the text a user reads.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/lower_code.hpp>

#include <attune/declare/expression/operation.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

using attune::op;

namespace {

constexpr auto a = attune::ordinal<"a">(attune::values(1, 2, 4));
constexpr auto b = attune::ordinal<"b">(attune::values(1, 2, 4));
constexpr auto c = attune::ordinal<"c">(attune::values(1, 2, 4));
constexpr auto flag = attune::boolean<"flag">();
constexpr auto mode = attune::categorical<"mode">("s", "d");
constexpr auto order = attune::permutation<"order", 3>();
constexpr auto n = attune::input<"n", int>();

attune::description parameters()
{
    return attune::lower(attune::space(a, b, c, flag, mode, order));
}

template <class E>
std::string text(E const& formula)
{
    attune::description space = parameters();
    auto const lowered = attune::detail::lower_code(space, formula.code);
    CHECK(attune::detail::text_of_node(space, space.nodes[lowered.root]) == lowered.text);
    return lowered.text;
}

} // namespace

// Each text below, read by the precedence of C++, is the formula beside it; without any one of its
// parentheses it would be another.
TEST_CASE("sums and differences group to the left")
{
    CHECK(text(a + b + c) == "a + b + c");
    CHECK(text(a - b - c) == "a - b - c");
    CHECK(text(a - (b - c)) == "a - (b - c)");
    CHECK(text(a - (b + c)) == "a - (b + c)");
    CHECK(text((a - b) + c) == "a - b + c");
}

TEST_CASE("products bind tighter than sums and group to the left")
{
    CHECK(text(a * b + c) == "a * b + c");
    CHECK(text(a * (b + c)) == "a * (b + c)");
    CHECK(text((a + b) * c) == "(a + b) * c");
    CHECK(text(a / (b * c)) == "a / (b * c)");
    CHECK(text(a / b * c) == "a / b * c");
    CHECK(text(a * (b % c)) == "a * (b % c)");
    CHECK(text(4 * a * b <= 32 * 1024) == "4 * a * b <= 32768");
}

TEST_CASE("comparisons bind tighter than equality, and that tighter than logic")
{
    CHECK(text(a + 1 < b) == "a + 1 < b");
    CHECK(text((a < b) == flag) == "a < b == flag");
    CHECK(text(flag == (a == b)) == "flag == (a == b)");
    CHECK(text((a < b && b < c) || flag) == "a < b && b < c || flag");
    CHECK(text(a < b && (b < c || flag)) == "a < b && (b < c || flag)");
    CHECK(text(!flag || b == 1) == "!flag || b == 1");
    CHECK(text(!(flag || b == 1)) == "!(flag || b == 1)");
    CHECK(text(!(a == b)) == "!(a == b)");
}

TEST_CASE("signs stand before single values and before parentheses")
{
    CHECK(text(-a * b) == "-a * b");
    CHECK(text(-(a * b)) == "-(a * b)");
    CHECK(text(a - -b) == "a - -b");
}

TEST_CASE("two minus signs in a row are kept apart, since -- is another operator")
{
    CHECK(text(-(-a)) == "-(-a)");
    CHECK(text(a * -3) == "a * -3");
    CHECK(text(-(a - a) - -(-b)) == "-(a - a) - -(-b)");
}

TEST_CASE("functions are calls and need no parentheses around or inside")
{
    CHECK(text(min(a + b, c) * 2) == "min(a + b, c) * 2");
    CHECK(text(max(a, 2) == abs(b - c)) == "max(a, 2) == abs(b - c)");
    CHECK(text(ceil_div(n, a) <= 8) == "ceil_div(n, a) <= 8");
    CHECK(text(select(flag, a, b) > c) == "select(flag, a, b) > c");
}

TEST_CASE("texts are quoted, reals keep their point, elements keep their index")
{
    CHECK(text(mode == "s") == "mode == \"s\"");
    CHECK(text(a * 2.0 < 0.5) == "a * 2.0 < 0.5");
    CHECK(text(order[0] == 2) == "order[0] == 2");
    CHECK(text(order.position(0) < order.position(1)) == "order.position(0) < order.position(1)");
}

TEST_CASE("equal parts are one node, whoever uses them")
{
    attune::description space = parameters();
    std::size_t const before = space.nodes.size();
    auto const first = attune::detail::lower_code(space, (a * b + a * b == n).code);
    // a, b, a * b, their sum, n, the comparison
    CHECK(space.nodes.size() == before + 6);
    auto const again = attune::detail::lower_code(space, (a * b + a * b == n).code);
    CHECK(space.nodes.size() == before + 6);
    CHECK(again.root == first.root);
    CHECK(attune::detail::lower_code(space, (b * a + a * b == n).code).root != first.root);
    CHECK(space.inputs.size() == 1);
    // A whole 2 and a real 2 are two numbers, two texts two texts.
    auto const whole = attune::detail::lower_code(space, (a < 2).code);
    auto const real = attune::detail::lower_code(space, (a < 2.0).code);
    CHECK(whole.root != real.root);
    auto const s = attune::detail::lower_code(space, (mode == "s").code);
    auto const d = attune::detail::lower_code(space, (mode == "d").code);
    CHECK(s.root != d.root);
    CHECK(space.texts == std::vector<std::string>{"s", "d"});
}

TEST_CASE("operands stand before the operation that takes them")
{
    attune::description space = parameters();
    (void)attune::detail::lower_code(space, (select(flag, a / b, c % 3) - a * b < -c).code);
    for (std::uint32_t i = 0; i < space.nodes.size(); ++i)
        for (std::uint32_t const operand :
             {space.nodes[i].first, space.nodes[i].second, space.nodes[i].third})
            CHECK((operand == attune::no_index || operand < i));
}

TEST_CASE("the scope names each parameter once, ascending, and no input")
{
    attune::description space = parameters();
    auto const lowered = attune::detail::lower_code(space, (c * n < a + order[0] + c).code);
    CHECK(lowered.scope == std::vector<std::uint32_t>{0, 2, 5});
}

TEST_CASE("an input keeps the kind it was declared with")
{
    attune::description space = parameters();
    auto const rate = attune::input<"rate", double>();
    (void)attune::detail::lower_code(space, (a * rate < n).code);
    CHECK(space.inputs[space.find_input("rate")].type == attune::value_kind::real);
    CHECK(space.inputs[space.find_input("n")].type == attune::value_kind::integer);
}

TEST_CASE("every operation is written in its own way")
{
    std::set<std::string> texts;
    for (int i = static_cast<int>(op::negate); i <= static_cast<int>(op::select); ++i) {
        op const operation = static_cast<op>(i);
        std::vector<attune::detail::instruction> code(
            static_cast<std::size_t>(attune::detail::operand_count(operation)),
            a.as_expression().code[0]);
        code.push_back({.code = operation});
        attune::description space = parameters();
        texts.insert(attune::detail::lower_code(space, code).text);
    }
    CHECK(texts.size() ==
          1 + static_cast<std::size_t>(op::select) - static_cast<std::size_t>(op::negate));
    for (char const* text : {"floor_div(a, a)", "floor_mod(a, a)", "ceil_div(a, a)", "abs(a)"})
        CHECK(texts.contains(text));
}
