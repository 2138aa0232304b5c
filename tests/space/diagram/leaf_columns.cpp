// tests/space/diagram/leaf_columns.cpp : mirrors attune/space/diagram/leaf_columns.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/leaf_columns.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune::detail::leaf_columns;
using attune::detail::slot_table;
using words = std::vector<std::int64_t>;

TEST_CASE("a column has the values left, an element or a place has its own")
{
    attune_tests::space_writer w;
    auto const a = w.numbers("a", {5, 6, 7, 8});
    auto const p = w.permutation("p", 2);
    auto const fixed = w.range("fixed", 3, 3);
    auto const whole = w.read(a);
    auto const element = w.read(p, op::element, 1);
    auto const place = w.read(p, op::position, 0);
    auto const nowhere = w.read(p, op::position, 9);
    auto const three = w.read(fixed);
    std::vector<attune::detail::domain> domains{
        attune::detail::domain(4), attune::detail::domain(2), attune::detail::domain(1)};
    domains[a].filter({true, false, false, true});
    slot_table slots({2, 2});
    std::vector<int> const levels{0, 1, attune::detail::constant_level};
    attune::point const base = attune::detail::first_values(w.out, domains);
    leaf_columns leaves(w.out, domains, levels, base, slots);

    CHECK(slots[leaves.leaf(whole)].bits == words{5, 8});
    CHECK(slots[leaves.leaf(element)].bits == words{1, 0});
    CHECK(slots[leaves.leaf(place)].bits == words{0, 1});
    CHECK_FALSE(slots[leaves.leaf(nowhere)].about.may_succeed);
    CHECK(slots[leaves.leaf(three)].level == attune::detail::constant_level);
    CHECK(slots[leaves.leaf(three)].bits == words{3});
    CHECK(slots[leaves.index_of(a)].bits == words{0, 3});
    CHECK(leaves.leaf(w.read(a)) == leaves.leaf(whole));
}

TEST_CASE("equal texts are equal numbers, in whichever parameter they stand")
{
    attune_tests::space_writer w;
    auto const a = w.labels("a", {"x", "y", "z"});
    auto const b = w.labels("b", {"z", "x"});
    auto const left = w.read(a);
    auto const right = w.read(b);
    auto const literal = w.text("y");
    std::vector<attune::detail::domain> const domains{attune::detail::domain(3),
                                                      attune::detail::domain(2)};
    slot_table slots({3, 2});
    std::vector<int> const levels{0, 1};
    attune::point const base(2);
    leaf_columns leaves(w.out, domains, levels, base, slots);
    REQUIRE((leaves.is_text(left) && leaves.is_text(literal)));
    words const of_a = slots[leaves.text(left)].bits;
    words const of_b = slots[leaves.text(right)].bits;
    CHECK(of_a[0] == of_b[1]);
    CHECK(of_a[2] == of_b[0]);
    CHECK(of_a[1] == slots[leaves.text(literal)].bits[0]);
    CHECK(of_a[0] != of_a[1]);
}
