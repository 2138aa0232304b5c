// tests/space/diagram/depth_first.cpp : mirrors attune/space/diagram/depth_first.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/depth_first.hpp>

#include <attune/space/diagram/diagram_tree.hpp>
#include <attune/space/order/order.hpp>
#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::effort;
using attune::detail::tree_grower;

namespace {

/// x0 != x1 != ... pairwise, of 1 .. `last`.
attune::description different(std::uint32_t count, std::int64_t last)
{
    attune_tests::space_writer w;
    for (std::uint32_t i = 0; i < count; ++i)
        w.range("x" + std::to_string(i), 1, last);
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            w.require(w.join(op::not_equal, w.read(i), w.read(j)), "differ");
    return w.out;
}

} // namespace

TEST_CASE("a tree grown depth first has every valid setting; one is found without growing all")
{
    attune::description const space = different(4, 6);
    auto const parts = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    auto const order = attune::detail::level_order(space, parts.groups[0], parts.domains);
    effort budget;
    tree_grower grower(space, parts.groups[0], parts.domains, order, budget);
    REQUIRE(grower.grow_all());
    CHECK(std::move(grower).take().leaves() == 6 * 5 * 4 * 3);
    effort few{20, effort::unlimited, false};
    CHECK(tree_grower(space, parts.groups[0], parts.domains, order, few).find_one());
    CHECK_FALSE(few.is_spent);
    attune::description const none = different(4, 3);
    auto const no_parts = attune::detail::make_groups(none, attune::detail::conditions_of(none));
    CHECK_FALSE(tree_grower(none, no_parts.groups[0], no_parts.domains, order, budget).grow_all());
}

TEST_CASE("visits and bytes end the search")
{
    attune::description const space = different(4, 6);
    auto const parts = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    for (effort budget : {effort{20, effort::unlimited, false}, effort{1000, 500, false}}) {
        tree_grower(space, parts.groups[0], parts.domains, {0, 1, 2, 3}, budget).grow_all();
        CHECK(budget.is_spent);
    }
}

TEST_CASE("the tree from diagrams has the leaves of the tree grown depth first")
{
    attune_tests::space_generator generator(123);
    int trees = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        attune::enumeration_limits none;
        none.settings = 1;
        none.wide_settings = 1;
        auto const parts =
            attune::detail::make_groups(space, attune::detail::conditions_of(space), none);
        if (parts.is_empty) continue;
        for (auto const& group : parts.groups) {
            auto const order = attune::detail::level_order(space, group, parts.domains);
            effort budget;
            auto const made =
                attune::detail::tree_by_diagrams(space, group, parts.domains, order, budget);
            attune::detail::tree_grower grower(space, group, parts.domains, order, budget);
            bool const any = grower.grow_all();
            REQUIRE(any == made.has_value());
            if (!any) continue;
            attune::detail::tree const other = std::move(grower).take();
            CHECK(made->leaves() == other.leaves());
            CHECK(made->node_count() == other.node_count());
            ++trees;
        }
    }
    CHECK(trees > 500);
}
