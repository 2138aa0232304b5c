// tests/declare/input.cpp - inputs have a name and a kind, and take a value.
// SPDX-License-Identifier: MIT
#include <attune/declare/input.hpp>

#include <doctest/doctest.h>

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto rate = attune::input<"RATE", double>();

} // namespace

TEST_CASE("an input called with a value is that value under its name")
{
    CHECK(n(4096).value == 4096);
    CHECK(decltype(n(4096))::name == "N");
    CHECK(rate(0.5).value == 0.5);
}

TEST_CASE("an input is a formula of one instruction that yields its kind")
{
    CHECK(n.as_expression().yields == attune::value_kind::integer);
    CHECK(rate.as_expression().yields == attune::value_kind::real);
    CHECK(attune::input<"ON", bool>().as_expression().yields == attune::value_kind::boolean);
    CHECK(n.as_expression().code.size() == 1);
    CHECK(n.as_expression().code[0].code == attune::op::input);
    CHECK(n.as_expression().code[0].text == "N");
}

TEST_CASE("a range that an input ends does not know its end")
{
    constexpr auto domain = attune::powers_of_two(8, n);
    CHECK_FALSE(domain.high.is_known());
    CHECK(domain.high.input == "N");
    CHECK(domain.may_contain(1 << 20));
    CHECK_FALSE(domain.may_contain(4));
    CHECK_FALSE(domain.may_contain(12));
    CHECK(attune::divisors_of(n).may_contain(7));
    CHECK(attune::range(1, n, 2).may_contain(9));
}

TEST_CASE("inputs and their bindings are told apart from everything else")
{
    CHECK(attune::detail::is_input<decltype(attune::input<"N", int>())>);
    CHECK(attune::detail::is_input_binding<decltype(n(1))>);
    CHECK_FALSE(attune::detail::is_input<int>);
    CHECK_FALSE(attune::detail::is_input_binding<int>);
}
