// tests/space/diagram/node_store.cpp : mirrors attune/space/diagram/node_store.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/node_store.hpp>

#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::detail::tree_edge;

TEST_CASE("equal nodes are stored once, others are kept apart")
{
    attune::detail::node_store store({0, 1});
    std::vector<tree_edge> const one{{0, tree_edge::no_child}, {2, tree_edge::no_child}};
    std::vector<tree_edge> const other{{0, tree_edge::no_child}, {3, tree_edge::no_child}};
    auto const a = store.add(one);
    auto const b = store.add(other);
    CHECK(a != b);
    CHECK(store.add(one) == a);
    store.add(std::vector<tree_edge>{{0, a}, {1, b}, {5, a}});
    CHECK(store.made().node_count() == 3);
    CHECK(std::move(store).take().leaves() == 6);
}
