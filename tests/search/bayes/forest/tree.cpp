// tests/search/bayes/forest/tree.cpp - a tree finds the steps that are there.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/tree.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../../forest/table_of.hpp"

using attune::random_engine;
using attune::detail::forest::options;
using attune::detail::forest::tree_grower;
using attune::detail::forest::tree_node;
using attune_tests::all_of;
using attune_tests::grid;
using attune_tests::table_of;
using attune_tests::walk;

namespace {

std::vector<tree_node> grown(attune::detail::forest::code_table const& x,
                             std::vector<double> const& y, options const& how,
                             std::uint64_t seed = 1)
{
    random_engine engine(seed);
    tree_grower grower(x, y, how);
    std::vector<std::uint32_t> points = all_of(x);
    return grower.grow(points, engine);
}

/// Everything is tried at every node.
options greedy(std::size_t min_leaf = 1) { return {.min_leaf = min_leaf, .column_share = 1}; }

/// What is left of the squares of the numbers once each side of a split has its mean.
template <class GoesLeft>
double squared_error(std::vector<double> const& y, GoesLeft const& goes_left)
{
    double out = 0;
    for (bool const side : {false, true}) {
        double n = 0, sum = 0, squares = 0;
        for (std::size_t p = 0; p < y.size(); ++p)
            if (goes_left(p) == side) {
                n += 1;
                sum += y[p];
                squares += y[p] * y[p];
            }
        if (n > 0) out += squares - sum * sum / n;
    }
    return out;
}

} // namespace

TEST_CASE("a single point and equal numbers are one leaf")
{
    auto const one = grown(table_of({{4, false}}, {{2}}), {5}, greedy());
    REQUIRE(one.size() == 1);
    CHECK(one[0].mean == 5);
    CHECK(one[0].variance == 0);
    CHECK(grown(grid(4), std::vector<double>(16, 3), greedy()).size() == 1);
}

TEST_CASE("a leaf has the mean and variance of its points")
{
    options stump = greedy();
    stump.max_depth = 0;
    auto const tree = grown(table_of({{4, false}}, {{0, 1, 2, 3}}), {1, 2, 3, 6}, stump);
    REQUIRE(tree.size() == 1);
    CHECK(tree[0].mean == 3);
    CHECK(tree[0].variance == doctest::Approx((4 + 1 + 0 + 9) / 4.0));
    CHECK(tree[0].points == 4);
}

TEST_CASE("the first split of a step is the step")
{
    std::vector<double> y;
    for (std::uint32_t i = 0; i < 64; ++i)
        y.push_back(i / 8 < 5 ? 1 : 4); // the second column of an 8 by 8 grid
    auto const tree = grown(grid(8), y, greedy());
    REQUIRE(tree.size() == 3);
    CHECK(tree[0].column == 1);
    for (std::uint8_t v = 0; v < 8; ++v)
        CHECK(tree[0].goes_left.has(v) == (v < 5));
    CHECK(tree[tree[0].left].mean == 1);
    CHECK(tree[tree[0].right].mean == 4);
    CHECK(tree[tree[0].left].points == 40);
}

TEST_CASE("the chosen split leaves the least squared error, as brute force finds")
{
    random_engine engine(11);
    for (int round = 0; round < 20; ++round) {
        auto x = grid(5);
        std::vector<double> y;
        for (std::size_t i = 0; i < x.points; ++i)
            y.push_back(static_cast<double>(attune::uniform_below(engine, 50)));
        options how = greedy();
        how.max_depth = 1;
        auto const tree = grown(x, y, how);
        auto const error = [&](auto const& goes_left) { return squared_error(y, goes_left); };
        double best = 1e300;
        for (std::size_t c = 0; c < 2; ++c)
            for (int cut = 0; cut < 4; ++cut)
                best = std::min(best, error([&](std::size_t p) { return x.code[c][p] <= cut; }));
        double const got =
            error([&](std::size_t p) { return tree[0].goes_left.has(x.code[tree[0].column][p]); });
        CHECK(got == doctest::Approx(best));
    }
}

TEST_CASE("nominal codes are split into the best two sets, as brute force finds")
{
    random_engine engine(12);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::uint8_t> code;
        std::vector<double> y;
        for (std::size_t i = 0; i < 30; ++i) {
            code.push_back(static_cast<std::uint8_t>(i % 6));
            y.push_back(static_cast<double>(attune::uniform_below(engine, 50)));
        }
        options how = greedy();
        how.max_depth = 1;
        auto const tree = grown(table_of({{6, true}}, {code}), y, how);
        auto const error = [&](auto const& has) {
            return squared_error(y, [&](std::size_t p) { return has(code[p]); });
        };
        double best = 1e300;
        for (unsigned set = 1; set < 63; ++set)
            best = std::min(best, error([&](std::uint8_t v) { return (set >> v & 1U) != 0; }));
        CHECK(error([&](std::uint8_t v) { return tree[0].goes_left.has(v); }) ==
              doctest::Approx(best));
    }
}

TEST_CASE("a function of the codes is learnt exactly when leaves may have one point")
{
    auto const x = grid(9);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(std::sin(x.code[0][i]) * x.code[1][i] + x.code[0][i]);
    auto const tree = grown(x, y, greedy());
    for (std::size_t p = 0; p < x.points; ++p)
        CHECK(walk(tree, x, p).mean == y[p]);
}

TEST_CASE("leaves keep their least size and trees their depth")
{
    random_engine engine(5);
    auto const x = grid(16);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(attune::uniform_unit(engine));
    auto const tree = grown(x, y, greedy(7));
    std::size_t total = 0;
    for (tree_node const& n : tree)
        if (n.column == tree_node::no_column) {
            CHECK(n.points >= 7);
            total += n.points;
        }
    CHECK(total == 256);
    options shallow = greedy();
    shallow.max_depth = 3;
    CHECK(grown(x, y, shallow).size() == 15);
}

TEST_CASE("deeper trees never fit worse")
{
    random_engine engine(6);
    auto const x = grid(16);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(attune::uniform_unit(engine));
    double before = 1e300;
    for (std::size_t depth = 0; depth < 12; ++depth) {
        options how = greedy();
        how.max_depth = depth;
        auto const tree = grown(x, y, how);
        double error = 0;
        for (std::size_t p = 0; p < x.points; ++p)
            error += std::pow(walk(tree, x, p).mean - y[p], 2);
        CHECK(error <= before + 1e-9);
        before = error;
    }
    CHECK(before < 3); // of 256 / 12
}

TEST_CASE("the order of the points does not matter")
{
    auto const x = grid(8);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.points; ++i)
        y.push_back(x.code[0][i] * 3 + (x.code[1][i] > 4 ? 7 : 0));
    tree_grower grower(x, y, greedy());
    random_engine first(3);
    random_engine second(3);
    random_engine order(4);
    std::vector<std::uint32_t> points = all_of(x);
    auto const a = grower.grow(points, first);
    points = all_of(x);
    attune::shuffle(std::span(points), order);
    tree_grower other(x, y, greedy());
    auto const b = other.grow(points, second);
    for (std::size_t p = 0; p < x.points; ++p)
        CHECK(walk(a, x, p).mean == walk(b, x, p).mean);
}

TEST_CASE("between two values that were seen the threshold is uniform, beyond them nothing changes")
{
    auto const x = table_of({{9, false}}, {{2, 6}});
    std::vector<int> right_of(9, 0);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        auto const tree = grown(x, {0, 1}, greedy(), seed);
        REQUIRE(tree.size() == 3);
        for (std::uint8_t v = 0; v < 9; ++v)
            right_of[v] += tree[0].goes_left.has(v) ? 0 : 1;
    }
    CHECK(right_of[0] == 0);
    CHECK(right_of[2] == 0);
    CHECK(right_of[6] == 400);
    CHECK(right_of[8] == 400);
    for (int v : {3, 4, 5}) // 1/4, 2/4, 3/4 of 400, within six standard deviations
        CHECK(std::abs(right_of[static_cast<std::size_t>(v)] - 100 * (v - 2)) < 60);
}

using attune::detail::forest::masked_tree;

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
        options const how{.min_leaf = 1};
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
    options const how{.min_leaf = 1};
    std::vector<double> const y{3, 5};
    tree_grower grower(x, y, how);
    random_engine engine(1);
    std::vector<std::uint32_t> points = all_of(x);
    masked_tree const masked(grower.grow(points, engine), x.about, 0.25);
    CHECK(masked.leaf_of(x, 0).square == 9.25);
    CHECK(masked.leaf_of(x, 1).square == 25.25);
}

using attune::feature_map;
using attune::feature_table;
using attune::detail::forest::code_table;
using attune::detail::forest::coding;
using attune::detail::forest::column;

namespace {

template <class... P>
attune::chain_of_trees chain(P const&... parameters)
{
    return attune::chain_of_trees(attune::bind_inputs(attune::lower(attune::space(parameters...))));
}

} // namespace

TEST_CASE("ordered and nominal levels keep their numbers")
{
    feature_map const map(chain(attune::ordinal<"A">(attune::values(1, 2, 4)),
                                attune::categorical<"C">("x", "y", "z", "w")));
    coding const code(map);
    CHECK(code.columns() == std::vector<column>{{3, false}, {4, true}});
    feature_table table;
    map.append({{2, 0}, {3, 0}}, table);
    map.append({{0, 0}, {1, 0}}, table);
    code_table const x = code(table);
    CHECK(x.points == 2);
    CHECK(x.code[0] == std::vector<std::uint8_t>{2, 0});
    CHECK(x.code[1] == std::vector<std::uint8_t>{3, 1});
}

TEST_CASE("an order of items is one column per item: its place")
{
    auto const space = chain(attune::permutation<"O", 3>());
    feature_map const map(space);
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(3, {3, false}));
    feature_table table;
    for (std::uint32_t v = 0; v < 6; ++v)
        map.append({{v, 0}}, table);
    code_table const x = code(table);
    for (std::uint32_t v = 0; v < 6; ++v) {
        auto const order = attune::elements_at(space.describe().parameters[0], v);
        for (std::size_t item = 0; item < 3; ++item)
            CHECK(order[x.code[item][v]] == static_cast<std::int64_t>(item));
    }
}

TEST_CASE("a tile is one column per factor")
{
    feature_map const map(chain(attune::tile<"T", 2>(8)));
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(2, {4, false}));
    feature_table table;
    for (std::uint32_t v = 0; v < 4; ++v)
        map.append({{v, 0}}, table);
    CHECK(code(table).code[0] == std::vector<std::uint8_t>{0, 1, 2, 3});
    CHECK(code(table).code[1] == std::vector<std::uint8_t>{3, 2, 1, 0});
}

TEST_CASE("continuous features and long tables are cut into 256 cells, in order")
{
    feature_map const map(chain(attune::real<"R">(0.0, 1.0), attune::integer<"I">(0, 999)),
                          {.from_alignment = false});
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(2, {256, false}));
    feature_table table;
    for (std::uint32_t i = 0; i < 1000; ++i)
        map.append({{0, i / 999.0}, {i, 0}}, table);
    code_table const x = code(table);
    for (auto const& codes : x.code) {
        CHECK(codes.front() == 0);
        CHECK(codes.back() == 255);
        CHECK(std::is_sorted(codes.begin(), codes.end()));
    }
    CHECK(x.code[0][500] == 128);
}

TEST_CASE("many choices share codes")
{
    attune::description d;
    attune::parameter_description p;
    p.name = "MANY";
    p.kind = attune::parameter_kind::categorical;
    p.type = attune::value_kind::integer;
    for (std::int64_t v = 0; v < 300; ++v)
        p.integers.push_back(v);
    d.parameters = {p};
    feature_map const map{attune::chain_of_trees(d)};
    coding const code(map);
    CHECK(code.columns() == std::vector<column>{{256, true}});
    feature_table table;
    map.append({{299, 0}}, table);
    CHECK(code(table).code[0][0] == 299 - 256);
}

TEST_CASE("rows can be appended later")
{
    feature_map const map(chain(attune::integer<"I">(0, 9)));
    coding const code(map);
    feature_table table;
    code_table x;
    for (std::uint32_t i = 0; i < 10; ++i) {
        map.append({{i, 0}}, table);
        code.append(table, i, x);
    }
    CHECK(x.points == 10);
    CHECK(x.code[0] == code(table).code[0]);
}

TEST_CASE("a set has what was added, in ascending order, across its words")
{
    attune::detail::forest::code_set set;
    std::vector<std::uint8_t> const added{255, 0, 63, 64, 127, 128, 7, 64};
    for (auto const code : added)
        set.add(code);
    std::set<std::uint8_t> const want(added.begin(), added.end());
    for (unsigned v = 0; v < 256; ++v)
        CHECK(set.has(static_cast<std::uint8_t>(v)) == want.contains(static_cast<std::uint8_t>(v)));
    std::vector<std::uint8_t> visited;
    set.for_each([&](std::uint8_t code) { visited.push_back(code); });
    CHECK(visited == std::vector<std::uint8_t>(want.begin(), want.end()));
}

TEST_CASE("an empty set visits nothing and equals another empty one")
{
    attune::detail::forest::code_set const empty;
    empty.for_each([](std::uint8_t) { CHECK(false); });
    CHECK(empty == attune::detail::forest::code_set{});
}
