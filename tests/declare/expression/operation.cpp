// tests/declare/expression/operation.cpp - operands, groups and relations of the operations.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/operation.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <utility>

#include "../../support/binary_operations.hpp"

using attune::number;
using attune::op;
using attune::detail::operand_count;
namespace detail = attune::detail;

TEST_CASE("a leaf takes no operand")
{
    for (op const leaf : std::array{op::integer, op::real, op::text, op::parameter, op::element,
                                    op::position, op::input})
        CHECK(operand_count(leaf) == 0);
}

TEST_CASE("a sign, a negation and an absolute value take one operand")
{
    for (op const unary : std::array{op::negate, op::logical_not, op::absolute})
        CHECK(operand_count(unary) == 1);
}

TEST_CASE("arithmetic, comparison and logic take two operands, select takes three")
{
    for (op const binary : attune_tests::binary_operations)
        CHECK(operand_count(binary) == 2);
    CHECK(operand_count(op::select) == 3);
}

TEST_CASE("an operation that computes has a function for whole numbers and one for reals")
{
    for (detail::operation_rules const& rules : detail::operations) {
        bool const computes = rules.group == detail::operation_group::sign ||
                              rules.group == detail::operation_group::arithmetic ||
                              detail::is_division(rules.of);
        CHECK((rules.on_integers != nullptr) == computes);
        CHECK((rules.on_reals != nullptr) == computes);
        CHECK(rules.sign.empty() == detail::is_leaf(rules.of));
    }
}

TEST_CASE("comparisons, chains and ! give truths, nothing else does")
{
    for (detail::operation_rules const& rules : detail::operations) {
        bool const expected =
            (rules.of >= op::less && rules.of <= op::logical_or) || rules.of == op::logical_not;
        CHECK(detail::yields_truth(rules.of) == expected);
        CHECK(detail::is_comparison(rules.of) ==
              (rules.of >= op::less && rules.of <= op::not_equal));
    }
}

TEST_CASE("a relation holds as C++ says, also between numbers that have no order")
{
    auto const holds = [](op code, number const& a, number const& b) {
        return detail::satisfies(detail::rules_of(code).holds, a, b);
    };
    std::array const values{-1.5, 0.0, 2.0, std::nan("")};
    for (double const a : values)
        for (double const b : values) {
            number const x = number::of(a);
            number const y = number::of(b);
            CHECK(holds(op::less, x, y) == (a < b));
            CHECK(holds(op::less_equal, x, y) == (a <= b));
            CHECK(holds(op::greater, x, y) == (a > b));
            CHECK(holds(op::greater_equal, x, y) == (a >= b));
            CHECK(holds(op::equal, x, y) == (a == b));
            CHECK(holds(op::not_equal, x, y) == (a != b));
        }
    // 2^53 + 1 is no double: whole numbers are compared as such.
    number const large = number::of(std::int64_t{9007199254740993});
    CHECK(holds(op::greater, large, number::of(std::int64_t{9007199254740992})));
}

TEST_CASE("a whole and a real number are compared as exactly as in Python")
{
    // A long double has 64 bits or more: it has all numbers below exactly.
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t const whole :
         {std::int64_t{0}, std::int64_t{7}, std::int64_t{-7}, std::int64_t{9007199254740992},
          std::int64_t{9007199254740993}, std::int64_t{-9007199254740993}, last, last - 1, -last,
          -last - 1})
        for (double const real :
             {0.0, 7.0, 6.5, -7.0, 9007199254740992.0, 9007199254740994.0, -9007199254740992.0,
              -9007199254740994.0, 0x1p63, -0x1p63, 0x1.fffffffffffffp62, 1e300, -1e300, HUGE_VAL,
              -HUGE_VAL, std::nan("")}) {
            CAPTURE(whole);
            CAPTURE(real);
            number const a = number::of(whole), b = number::of(real);
            auto const x = static_cast<long double>(whole), y = static_cast<long double>(real);
            for (auto const& [code, expected] :
                 {std::pair{op::less, x < y}, std::pair{op::less_equal, x <= y},
                  std::pair{op::greater, x > y}, std::pair{op::greater_equal, x >= y},
                  std::pair{op::equal, x == y}, std::pair{op::not_equal, x != y}}) {
                CHECK(detail::satisfies(detail::rules_of(code).holds, a, b) == expected);
                bool const turned = detail::satisfies(detail::rules_of(code).holds, b, a);
                CHECK(turned == (detail::is_equality(code) ? expected
                                 : code == op::less        ? y < x
                                 : code == op::less_equal  ? y <= x
                                 : code == op::greater     ? y > x
                                                           : y >= x));
            }
        }
}

TEST_CASE("an operand is evaluated only where C++ would evaluate it")
{
    int asked = 0;
    auto const is = [&](std::int64_t v) {
        return [&asked, v] {
            ++asked;
            return std::optional(number::of(v));
        };
    };
    auto const never = []() -> std::optional<number> {
        FAIL("an operand is evaluated that does not count");
        return {};
    };
    auto const value = [&](op code, auto const& a, auto const& b, auto const& c) {
        return detail::apply_operation(code, false, a, b, c)->integer;
    };
    CHECK(value(op::logical_and, is(0), never, never) == 0);
    CHECK(value(op::logical_or, is(7), never, never) == 1);
    CHECK(value(op::select, is(1), is(5), never) == 5);
    CHECK(value(op::select, is(0), never, is(6)) == 6);
    CHECK(value(op::negate, is(4), never, never) == -4);
    CHECK(asked == 7);
    auto const none = [] { return std::optional<number>{}; };
    CHECK_FALSE(detail::apply_operation(op::logical_or, false, none, is(1), never));
    CHECK_FALSE(detail::apply_operation(op::add, false, is(1), none, never));
}
