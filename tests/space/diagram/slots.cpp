// tests/space/diagram/slots.cpp : mirrors attune/space/diagram/slots.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/slots.hpp>

#include <doctest/doctest.h>

using attune::number;
using attune::op;
using attune::detail::slot_table;

TEST_CASE("equal steps are one step, and a step on one parameter holds its column")
{
    slot_table slots({3, 2});
    auto const a = slots.leaf(0, false, {1, 2, 3}, {0, 0, 0});
    auto const two = slots.constant(number::of(std::int64_t{2}));
    CHECK(slots.constant(number::of(std::int64_t{2})) == two);
    CHECK(slots.constant(number::of(2.0)) != two);
    auto const twice = slots.make(op::multiply, false, a, two);
    CHECK(slots.make(op::multiply, false, a, two) == twice);
    CHECK(slots[twice].is_known);
    CHECK(slots[twice].bits == std::vector<std::int64_t>{2, 4, 6});
    CHECK(slots[twice].about.range == attune::detail::interval{2, 6});
}

TEST_CASE("a step on two parameters stands on the later level and knows bounds only")
{
    slot_table slots({3, 2});
    auto const a = slots.leaf(0, false, {1, 2, 3}, {0, 0, 0});
    auto const b = slots.leaf(1, false, {5, -7}, {0, 0});
    auto const sum = slots.make(op::add, false, a, b);
    CHECK(slots[sum].level == 1);
    CHECK_FALSE(slots[sum].is_known);
    CHECK(slots[sum].about.range == attune::detail::interval{-6, 8});
    auto const more = slots.make(op::multiply, false, sum, b);
    CHECK_FALSE(slots[more].is_known);
}

TEST_CASE("constants are folded, also to no value at all")
{
    slot_table slots({2});
    auto const seven = slots.constant(number::of(std::int64_t{7}));
    auto const zero = slots.constant(number::of(std::int64_t{0}));
    auto const none = slots.make(op::modulo, false, seven, zero);
    CHECK(slots[none].level == attune::detail::constant_level);
    CHECK(slots[none].about.may_fail);
    CHECK_FALSE(slots[none].about.may_succeed);
    auto const fine = slots.make(op::logical_or, false, seven, none);
    CHECK(slots[fine].about.is_true());
}
