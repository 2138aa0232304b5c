// tests/declare/expression/operators.cpp - which formula an operator writes, and what it yields.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/operators.hpp>

#include <attune/declare/domain.hpp>
#include <attune/declare/parameters.hpp>

#include <concepts>
#include <doctest/doctest.h>
#include <string>
#include <type_traits>

using attune::op;
using attune::value_kind;

namespace {

constexpr auto a = attune::ordinal<"A">(attune::values(1, 2, 4));
constexpr auto x = attune::ordinal<"X">(attune::values(0.5, 1.5));
constexpr auto flag = attune::boolean<"FLAG">();
constexpr auto mode = attune::categorical<"MODE">("s", "d");
constexpr auto n = attune::input<"N", int>();

template <class E>
constexpr value_kind yield(E const&)
{
    return E::yields;
}
template <class E>
constexpr op last(E const& e)
{
    return e.code.back().code;
}

template <class L, class R>
concept can_add = requires(L const& l, R const& r) { l + r; };

} // namespace

TEST_CASE("arithmetic yields a whole number unless one side is real")
{
    CHECK(yield(a + 1) == value_kind::integer);
    CHECK(yield(a + x) == value_kind::real);
    CHECK(yield(a * 0.5) == value_kind::real);
    CHECK(yield(flag + flag) == value_kind::integer);
    CHECK(yield(-a) == value_kind::integer);
    CHECK(yield(abs(x)) == value_kind::real);
    CHECK(yield(n / 2) == value_kind::integer);
}

TEST_CASE("every operator and function writes its own operation last")
{
    CHECK(last(a + n) == op::add);
    CHECK(last(a - n) == op::subtract);
    CHECK(last(a * n) == op::multiply);
    CHECK(last(a / n) == op::divide);
    CHECK(last(a % n) == op::modulo);
    CHECK(last(a < n) == op::less);
    CHECK(last(a <= n) == op::less_equal);
    CHECK(last(a > n) == op::greater);
    CHECK(last(a >= n) == op::greater_equal);
    CHECK(last(a == n) == op::equal);
    CHECK(last(a != n) == op::not_equal);
    CHECK(last(flag && flag) == op::logical_and);
    CHECK(last(flag || flag) == op::logical_or);
    CHECK(last(!flag) == op::logical_not);
    CHECK(last(-a) == op::negate);
    CHECK(last(min(a, 2)) == op::minimum);
    CHECK(last(max(2, a)) == op::maximum);
    CHECK(last(ceil_div(n, a)) == op::ceil_divide);
    CHECK(last(abs(a)) == op::absolute);
    CHECK(last(select(flag, a, 0)) == op::select);
    CHECK(last(attune::one_of(a, 1, 2)) == op::logical_or);
    CHECK(last(attune::one_of(mode, "s")) == op::equal);
}

TEST_CASE("a literal on the left stays on the left where order matters")
{
    constexpr auto difference = 8 - a;
    CHECK(difference.code[0].integer == 8);
    CHECK(difference.code[1].text == "A");
    constexpr auto less = 8 < a;
    CHECK(less.code[0].integer == 8);
    CHECK(less.code[2].code == op::less);
}

TEST_CASE("a literal may stand on either side of an equality")
{
    CHECK(yield(8 == a) == value_kind::boolean);
    CHECK(yield("s" != mode) == value_kind::boolean);
    CHECK(yield(mode == std::string("s")) == value_kind::boolean);
}

TEST_CASE("a choice yields a condition, a whole number or a real number")
{
    CHECK(yield(select(flag, a, 3)) == value_kind::integer);
    CHECK(yield(select(flag, a, 0.5)) == value_kind::real);
    CHECK(yield(select(flag, a < 2, true)) == value_kind::boolean);
}

TEST_CASE("operators leave other types alone")
{
    CHECK(can_add<std::remove_const_t<decltype(a)>, int>);
    CHECK_FALSE(can_add<std::remove_const_t<decltype(a)>, void*>);
    struct other {};
    CHECK_FALSE(can_add<other, int>);
    CHECK_FALSE(can_add<other, other>);
}

TEST_CASE("an equality of parameters is a formula, not an answer")
{
    static_assert(!std::convertible_to<decltype(a == n), bool>);
    CHECK(yield(a == n) == value_kind::boolean);
}
