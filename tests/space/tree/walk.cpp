// tests/space/tree/walk.cpp : mirrors include/attune/space/tree/walk.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/tree/walk.hpp>

#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

using attune::detail::tree;
using attune::detail::tree_edge;

TEST_CASE("the leaves below shared nodes are those of each path to them")
{
    tree t(std::vector<std::uint32_t>{0, 1});
    std::vector<tree_edge> const two{{0, tree_edge::no_child}, {4, tree_edge::no_child}};
    std::vector<tree_edge> const one{{2, tree_edge::no_child}};
    std::uint32_t const a = t.add_node(two);
    std::uint32_t const b = t.add_node(one);
    std::vector<tree_edge> const top{{0, a}, {1, b}, {2, a}};
    std::uint32_t const root = t.add_node(top);
    CHECK(attune::detail::root_of(t) == root);
    CHECK_FALSE(attune::detail::is_free(t));
    std::vector<attune::leaf_count> const below = attune::detail::leaves_below(t);
    CHECK(below[a] == 2);
    CHECK(below[b] == 1);
    CHECK(below[root] == 5);
    CHECK(below[root] == t.leaves());
    CHECK(attune::detail::levels_of(t) == std::vector<std::size_t>{1, 1, 0});
}

TEST_CASE("a parameter that nothing constrains has no nodes")
{
    CHECK(attune::detail::is_free(tree(3, 10)));
    CHECK(attune::detail::leaves_below(tree(3, 10)).empty());
}

TEST_CASE("a node that no path leads to has no level")
{
    tree t(std::vector<std::uint32_t>{0});
    std::vector<tree_edge> const forgotten{{7, tree_edge::no_child}};
    std::vector<tree_edge> const used{{1, tree_edge::no_child}};
    t.add_node(forgotten);
    t.add_node(used);
    CHECK(attune::detail::levels_of(t) == std::vector<std::size_t>{1, 0});
    CHECK(attune::detail::levels_of(tree(3, 10)).empty());
}
