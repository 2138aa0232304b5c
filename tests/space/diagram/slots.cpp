// tests/space/diagram/slots.cpp : mirrors attune/space/diagram/slots.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/slots.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../support/binary_operations.hpp"

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
    CHECK_FALSE(slots[slots.make(op::multiply, false, sum, b)].is_known);
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
    CHECK(slots[slots.make(op::logical_or, false, seven, none)].about.is_true());
}

using attune::detail::operand_view;
using attune::detail::outlook;

namespace {

struct column {
    std::vector<std::int64_t> bits;
    std::vector<std::uint8_t> failed;
    bool real = false;
    outlook about{};

    explicit column(std::vector<std::int64_t> values)
        : bits(std::move(values))
        , failed(bits.size(), 0)
    {
        about.range = {infinity(), -infinity()};
        for (std::int64_t const v : bits)
            about.range = {std::min(about.range.low, static_cast<double>(v)),
                           std::max(about.range.high, static_cast<double>(v))};
        about.range = attune::detail::settled(about.range.low, about.range.high, false);
    }
    static double infinity() { return std::numeric_limits<double>::infinity(); }
    [[nodiscard]] operand_view view() const
    {
        return {bits.data(), failed.data(), bits.size() == 1 ? 0U : 1U, real, about};
    }
};

/// How many entries differ from one operation after the other.
int differences(op code, column const& a, column const& b)
{
    std::size_t const count = std::max(a.bits.size(), b.bits.size());
    std::vector<std::int64_t> out(count, 77);
    std::vector<std::uint8_t> failed(count, 0);
    bool const compares = code >= op::less && code <= op::logical_or;
    bool const real = (a.real || b.real) && !compares;
    outlook const about =
        attune::detail::look_ahead(code, a.about, b.about, {}, real, a.real || b.real);
    attune::detail::fill_column(code, a.view(), b.view(), {}, real, about, count, out.data(),
                                failed.data());
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto const v = attune::detail::apply_operation(code, a.view(), b.view(), {}, real, i);
        wrong += v.has_value() != (failed[i] == 0);
        if (v) wrong += attune::detail::word_of(*v) != out[i];
    }
    return wrong;
}

} // namespace

TEST_CASE("a column is what the operation gives value by value")
{
    std::int64_t const most = std::numeric_limits<std::int64_t>::max();
    std::int64_t const least = std::numeric_limits<std::int64_t>::min();
    column const positive({1, 2, 3, 7, 12});
    column const mixed({-3, 0, 2, -1, 5});
    column const huge({most, least, -1, 0, most / 2 + 1});
    column const one({6});
    column const minus({-1});
    for (op const code : attune_tests::binary_operations)
        for (column const* a : {&positive, &mixed, &huge, &one})
            for (column const* b : {&positive, &mixed, &huge, &one, &minus}) {
                CAPTURE(static_cast<int>(code));
                CHECK(differences(code, *a, *b) == 0);
            }
}

TEST_CASE("reals and integers mix as they do in the evaluator")
{
    column reals({});
    reals.real = true;
    for (double const v : {0.5, -2.25, 0.0, 3.0, 1e200})
        reals.bits.push_back(std::bit_cast<std::int64_t>(v));
    reals.failed.assign(5, 0);
    reals.about.range = {-2.25, 1e200};
    column const numbers({2, -1, 0, 3, 4});
    for (op const code : attune_tests::binary_operations) {
        CHECK(differences(code, reals, numbers) == 0);
        CHECK(differences(code, numbers, reals) == 0);
        CHECK(differences(code, reals, reals) == 0);
    }
}

TEST_CASE("what has no value stays without one, except where it is not looked at")
{
    column holes({1, 0, 5});
    holes.failed[2] = 1;
    holes.about.may_fail = true;
    column const flags({0, 1, 0});
    for (op const code : attune_tests::binary_operations) {
        CHECK(differences(code, holes, flags) == 0);
        CHECK(differences(code, flags, holes) == 0);
    }
    auto const v =
        attune::detail::apply_operation(op::logical_and, flags.view(), holes.view(), {}, false, 2);
    CHECK((v && v->integer == 0));
}
