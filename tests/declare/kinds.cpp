// tests/declare/kinds.cpp - how many operands an operation takes; a wrong declaration speaks.
// SPDX-License-Identifier: MIT
#include <attune/declare/kinds.hpp>

#include <array>
#include <doctest/doctest.h>
#include <exception>
#include <string>

using attune::op;
using attune::operand_count;

TEST_CASE("a leaf takes no operand")
{
    for (op const leaf : std::array{
             op::integer, op::real, op::text, op::parameter, op::element, op::position, op::input})
        CHECK(operand_count(leaf) == 0);
}

TEST_CASE("a sign, a negation and an absolute value take one operand")
{
    for (op const unary : std::array{op::negate, op::logical_not, op::absolute})
        CHECK(operand_count(unary) == 1);
}

TEST_CASE("arithmetic, comparison and logic take two operands, select takes three")
{
    for (op const binary : std::array{op::add,
                                      op::subtract,
                                      op::multiply,
                                      op::divide,
                                      op::modulo,
                                      op::floor_divide,
                                      op::floor_modulo,
                                      op::ceil_divide,
                                      op::minimum,
                                      op::maximum,
                                      op::less,
                                      op::less_equal,
                                      op::greater,
                                      op::equal,
                                      op::greater_equal,
                                      op::not_equal,
                                      op::logical_and,
                                      op::logical_or})
        CHECK(operand_count(binary) == 2);
    CHECK(operand_count(op::select) == 3);
}

TEST_CASE("a declaration error carries its sentence and is a standard exception")
{
    try {
        throw attune::declaration_error("attune: the sentence");
    } catch (std::exception const& caught) {
        CHECK(std::string(caught.what()) == "attune: the sentence");
    }
}

TEST_CASE("no index is beyond every index of a table") { CHECK(attune::no_index == 4294967295U); }
