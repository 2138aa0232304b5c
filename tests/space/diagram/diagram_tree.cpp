// tests/space/diagram/diagram_tree.cpp : mirrors attune/space/diagram/diagram_tree.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram_tree.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune::detail::effort;
using attune::detail::tree_by_diagrams;
using attune_tests::space_writer;

TEST_CASE("limits end the work without a tree")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 40);
    auto const product = w.join(op::multiply, w.join(op::add, w.read(0), w.read(1)), w.read(2));
    auto const rest = w.join(op::modulo, product, w.literal(std::int64_t{37}));
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{5})), "(a + b) * c % 37 == 5");
    auto const parts = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
    REQUIRE(parts.groups.size() == 1);
    auto const grow = [&](effort budget) {
        static_cast<void>(tree_by_diagrams(w.out, parts.groups[0], parts.domains,
                                           parts.groups[0].parameters, budget));
        return !budget.is_spent;
    };
    CHECK(grow({}));
    CHECK_FALSE(grow({100, effort::unlimited, false}));
    CHECK_FALSE(grow({effort::unlimited, 1000, false}));
}

TEST_CASE("a predicate is called for the settings of its parameters")
{
    space_writer w;
    w.range("a", 0, 19);
    w.range("b", 0, 19);
    w.require_opaque(
        {0, 1},
        [](auto const&, std::span<attune::coordinate const> at) {
            return (at[0].index + at[1].index) % 7 == 3;
        },
        "called");
    attune::enumeration_limits none;
    none.settings = 1;
    auto const parts =
        attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out), none);
    effort budget;
    auto const made = tree_by_diagrams(w.out, parts.groups[0], parts.domains, {1, 0}, budget);
    REQUIRE(made);
    std::uint64_t valid = 0;
    for (int a = 0; a < 20; ++a)
        for (int b = 0; b < 20; ++b)
            valid += (a + b) % 7 == 3 ? 1U : 0U;
    CHECK(made->leaves() == valid);
}

TEST_CASE("a predicate is not called where a condition on its parameters fails")
{
    space_writer w;
    w.range("a", 0, 9);
    w.range("b", 0, 9);
    w.require(w.join(op::less, w.read(0), w.read(1)), "a < b");
    w.require_opaque(
        {1, 0},
        [](auto const&, std::span<attune::coordinate const> at) {
            CHECK(at[1].index < at[0].index);
            return at[0].index % (at[0].index - at[1].index) == 0;
        },
        "b % (b - a) == 0");
    attune::enumeration_limits none;
    none.settings = 1;
    none.wide_settings = 1;
    auto const parts =
        attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out), none);
    effort budget;
    CHECK(tree_by_diagrams(w.out, parts.groups[0], parts.domains, {0, 1}, budget));
}
