// tests/space/diagram/depth_first.cpp : mirrors attune/space/diagram/depth_first.hpp, included
// first SPDX-License-Identifier: MIT
#include <attune/space/diagram/depth_first.hpp>

#include <attune/space/diagram/diagram_tree.hpp>

#include <doctest/doctest.h>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::stopped;
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
    auto const parts = attune::make_groups(space, attune::conditions_of(space));
    attune::build_options options;
    tree_grower grower(space, parts.groups[0], parts.domains, options);
    REQUIRE(grower.grow_all());
    CHECK(std::move(grower).take().leaves() == 6 * 5 * 4 * 3);
    options.max_visits = 20;
    CHECK(tree_grower(space, parts.groups[0], parts.domains, options).find_one());
    attune::description const none = different(4, 3);
    auto const no_parts = attune::make_groups(none, attune::conditions_of(none));
    CHECK_FALSE(tree_grower(none, no_parts.groups[0], no_parts.domains, attune::build_options{})
                    .grow_all());
}

TEST_CASE("the limit that stops the search is told")
{
    attune::description const space = different(4, 6);
    auto const parts = attune::make_groups(space, attune::conditions_of(space));
    attune::build_options options;
    options.max_visits = 20;
    tree_grower visits(space, parts.groups[0], parts.domains, options);
    visits.grow_all();
    CHECK(visits.why_stopped() == stopped::visits);
    options = {};
    options.max_nodes = 5;
    tree_grower nodes(space, parts.groups[0], parts.domains, options);
    nodes.grow_all();
    CHECK(nodes.why_stopped() == stopped::nodes);
}

TEST_CASE("the tree from diagrams has the leaves of the tree grown depth first")
{
    attune_tests::space_generator generator(123);
    attune::build_options const options;
    int trees = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        attune::enumeration_limits none;
        none.settings = 1;
        none.wide_settings = 1;
        auto const parts = attune::make_groups(space, attune::conditions_of(space), none);
        if (parts.is_empty) continue;
        for (auto const& group : parts.groups) {
            auto const made =
                attune::detail::tree_by_diagrams(space, group, parts.domains, options);
            REQUIRE(made.finished);
            attune::detail::tree_grower grower(space, group, parts.domains, options);
            bool const any = grower.grow_all();
            REQUIRE(any == made.grown.has_value());
            if (!any) continue;
            attune::tree const other = std::move(grower).take();
            CHECK(made.grown->leaves() == other.leaves());
            CHECK(made.grown->node_count() == other.node_count());
            ++trees;
        }
    }
    CHECK(trees > 500);
}
