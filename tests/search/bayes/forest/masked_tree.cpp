// tests/search/bayes/forest/masked_tree.cpp - masks find the leaf that a walk finds.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/masked_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../forest/table_of.hpp"

using attune::random_engine;
using attune::detail::forest::masked_tree;
using attune::detail::forest::options;
using attune::detail::forest::tree_grower;
using attune::detail::forest::tree_node;
using attune_tests::all_of;
using attune_tests::walk;

TEST_CASE("for trees of 1 to 600 leaves the leaf of any point is that of a walk from the root")
{
    random_engine engine(21);
    attune::detail::forest::code_table x;
    x.about = {{256, false}, {7, true}, {40, false}};
    x.code.resize(3);
    x.points = 600;
    std::vector<double> y;
    for (std::size_t p = 0; p < x.points; ++p) {
        for (std::size_t c = 0; c < 3; ++c)
            x.code[c].push_back(
                static_cast<std::uint8_t>(attune::uniform_below(engine, x.about[c].codes)));
        y.push_back(attune::uniform_unit(engine));
    }
    std::vector<std::size_t> leaves;
    for (std::size_t const taken : {1U, 2U, 60U, 65U, 130U, 250U, 600U}) {
        options how;
        how.min_leaf = 1;
        tree_grower grower(x, y, how);
        std::vector<std::uint32_t> points = all_of(x);
        points.resize(taken);
        auto const tree = grower.grow(points, engine);
        masked_tree const masked(tree, x.about);
        leaves.push_back(masked.leaf_count());
        std::vector<double> mean(x.points, 0);
        std::vector<double> square(x.points, 0);
        masked.add(x, mean, square);
        std::size_t wrong = 0;
        for (std::size_t p = 0; p < x.points; ++p) {
            tree_node const& want = walk(tree, x, p);
            wrong += mean[p] != want.mean || masked.leaf_of(x, p).mean != want.mean;
            wrong += square[p] != want.variance + want.mean * want.mean;
        }
        CHECK(wrong == 0);
    }
    CHECK(leaves.front() == 1);
    CHECK(leaves.back() > 256);
}

TEST_CASE("leaves vary at least as much as they are told to")
{
    auto const x = attune_tests::table_of({{2, false}}, {{0, 1}});
    options how;
    how.min_leaf = 1;
    std::vector<double> const y{3, 5};
    tree_grower grower(x, y, how);
    random_engine engine(1);
    std::vector<std::uint32_t> points = all_of(x);
    masked_tree const masked(grower.grow(points, engine), x.about, 0.25);
    CHECK(masked.leaf_of(x, 0).square == 9.25);
    CHECK(masked.leaf_of(x, 1).square == 25.25);
}
