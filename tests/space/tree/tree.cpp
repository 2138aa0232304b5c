// tests/space/tree/tree.cpp : mirrors include/attune/space/tree/tree.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

using attune::leaf_count;
using attune::point;
using attune::detail::tree_edge;

namespace {

/// Parameters 0 and 1: value 1 of parameter 1 goes with {0, 2}, value 4 with {0, 2} too, 5 with
/// {7}.
attune::detail::tree example()
{
    attune::detail::tree t(std::vector<std::uint32_t>{1, 0});
    std::vector<tree_edge> const two{{0}, {2}};
    std::vector<tree_edge> const one{{7}};
    std::uint32_t const shared = t.add_node(two);
    std::uint32_t const single = t.add_node(one);
    std::vector<tree_edge> const root{{1, shared}, {4, shared}, {5, single}};
    t.add_node(root);
    return t;
}

} // namespace

TEST_CASE("a tree of runs has the values of its runs in order, and no nodes")
{
    attune::random_engine engine(8);
    for (int k = 0; k < 200; ++k) {
        std::vector<std::uint32_t> values;
        std::vector<attune::detail::value_run> runs;
        for (std::uint32_t v = 0; v < 40; ++v) {
            if (attune::uniform_below(engine, 3) == 0) continue;
            if (values.empty() || values.back() + 1 != v)
                runs.push_back({v, static_cast<std::uint32_t>(values.size())});
            values.push_back(v);
        }
        attune::detail::tree const t(1, runs, static_cast<std::uint32_t>(values.size()));
        CHECK(t.leaves() == values.size());
        CHECK(t.node_count() == 0);
        std::uint32_t below = 0;
        for (std::uint32_t v = 0; v < 45; ++v) {
            CHECK(t.leaves_below_value(v) == below);
            bool const is_there = below < values.size() && values[below] == v;
            auto const leaf = t.leaf_of(point{{0, 0}, {v, 0}});
            CHECK(leaf == (is_there ? std::optional<leaf_count>(below) : std::nullopt));
            if (!is_there) continue;
            point p(2);
            t.place(below, p);
            CHECK(p[1].index == v);
            ++below;
        }
    }
}

TEST_CASE("a tree numbers its leaves depth first, shared subtrees once per path")
{
    attune::detail::tree const t = example();
    CHECK(t.leaves() == 5);
    CHECK(t.node_count() == 3);
    CHECK(t.edge_count() == 6);
    std::vector<point> const expected{
        {{0, 0}, {1, 0}}, {{2, 0}, {1, 0}}, {{0, 0}, {4, 0}}, {{2, 0}, {4, 0}}, {{7, 0}, {5, 0}}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        point p(2);
        t.place(i, p);
        CHECK(p == expected[i]);
        CHECK(t.leaf_of(p) == leaf_count{i});
    }
}

TEST_CASE("a setting that is on no path has no number")
{
    attune::detail::tree const t = example();
    CHECK_FALSE(t.leaf_of(point{{1, 0}, {1, 0}}));
    CHECK_FALSE(t.leaf_of(point{{7, 0}, {4, 0}}));
    CHECK_FALSE(t.leaf_of(point{{0, 0}, {6, 0}}));
    CHECK_FALSE(t.leaf_of(point{{9, 0}, {0, 0}}));
}

TEST_CASE("a parameter that nothing constrains is a tree without nodes")
{
    attune::detail::tree const t(2, 479001600);
    CHECK(t.leaves() == 479001600);
    CHECK(t.node_count() == 0);
    point p(3);
    t.place(123456789, p);
    CHECK(p[2].index == 123456789);
    CHECK(t.leaf_of(p) == leaf_count{123456789});
    p[2].index = 479001600;
    CHECK_FALSE(t.leaf_of(p));
}

TEST_CASE("a tree without nodes has no leaves")
{
    attune::detail::tree const t(std::vector<std::uint32_t>{0});
    CHECK(t.leaves() == 0);
    CHECK_FALSE(t.leaf_of(point(1)));
}

TEST_CASE("counts past 128 bits are said to be uncountable, not wrapped")
{
    std::vector<std::uint32_t> levels(129);
    attune::detail::tree t(levels);
    std::vector<tree_edge> const leaf{{0}, {1}};
    std::uint32_t below = t.add_node(leaf);
    for (int level = 1; level < 127; ++level)
        below = t.add_node(std::vector<tree_edge>{{0, below}, {1, below}});
    CHECK(t.leaves() == leaf_count{1} << 127);
    below = t.add_node(std::vector<tree_edge>{{0, below}, {1, below}});
    CHECK(t.leaves() == attune::detail::uncountable);
    below = t.add_node(std::vector<tree_edge>{{0, below}, {1, below}});
    CHECK(t.leaves() == attune::detail::uncountable);
}

TEST_CASE("uniform_leaf stays below its bound and reaches all of it, past 64 bits too")
{
    attune::random_engine engine(3);
    leaf_count const bound = (leaf_count{3} << 100) + 12345;
    std::vector<int> thirds(3, 0);
    for (int i = 0; i < 3000; ++i) {
        leaf_count const drawn = attune::detail::uniform_leaf(engine, bound);
        REQUIRE(drawn < bound);
        ++thirds[static_cast<std::size_t>(drawn / (bound / 3 + 1))];
    }
    for (int const n : thirds) {
        CHECK(n > 850); // 1000 +- 26: more than five standard deviations
        CHECK(n < 1150);
    }
    std::vector<int> seen(5, 0);
    for (int i = 0; i < 200; ++i)
        ++seen[static_cast<std::size_t>(attune::detail::uniform_leaf(engine, 5))];
    for (int const n : seen)
        CHECK(n > 10);
}

using attune::detail::tree;

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
