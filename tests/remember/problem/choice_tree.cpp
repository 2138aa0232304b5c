// tests/remember/problem/choice_tree.cpp - few variants for many sizes, against choices made by hand and by trying all.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/choice_tree.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

using attune::detail::choice_in;
using attune::detail::choice_node;
using attune::detail::choose_variants;
using attune::detail::grow_tree;
using attune::detail::regret_table;
using attune::detail::tree_point;

namespace {

std::vector<std::size_t> all_of(std::vector<tree_point> const& points)
{
    std::vector<std::size_t> out(points.size());
    std::iota(out.begin(), out.end(), 0);
    return out;
}

std::int32_t choice_at(std::vector<choice_node> const& tree, std::vector<double> const& inputs)
{
    return choice_in(tree.data(), [&](std::size_t i) { return inputs[i]; });
}

/// A kernel whose choice c is best where log2(n) is near c + 3, and log2(m) matters little.
double model_s(double n, double m, std::size_t c)
{
    double const off = std::log2(n) - static_cast<double>(c) - 3;
    return n * (1 + 0.1 * off * off + 0.001 * std::log2(m));
}
tree_point model_point(double n, double m, std::size_t choices)
{
    tree_point out{.inputs = {n, m}, .is_usable = std::vector<bool>(choices, true)};
    for (std::size_t c = 0; c < choices; ++c)
        out.seconds.emplace_back(model_s(n, m, c));
    out.default_s = 10 * n;
    return out;
}

} // namespace

TEST_CASE("a time of a choice that may not serve there predicts nothing elsewhere")
{
    std::vector<tree_point> const points{
        {.inputs = {16}, .seconds = {0.1}, .is_usable = {false}, .default_s = 1},
        {.inputs = {32}, .seconds = {std::nullopt}, .is_usable = {true}, .default_s = 1}};
    regret_table const regret(points);
    CHECK(regret.at(0, 0) == 0); // the default runs
    CHECK(regret.at(1, 0) == 0); // -.9 + .2 before
}

TEST_CASE("a recorded size gets its own winner, and the geometric mean divides two")
{
    std::vector<tree_point> const points{
        {.inputs = {16}, .seconds = {1.0, 2.0}, .is_usable = {true, true}, .default_s = 3},
        {.inputs = {64}, .seconds = {2.0, 1.0}, .is_usable = {true, true}, .default_s = 3}};
    regret_table const regret(points);
    CHECK(regret.at(0, 1) == doctest::Approx(1.0));
    CHECK(regret.at(0, choice_node::none) == doctest::Approx(2.0));
    auto const tree = grow_tree(points, regret, choose_variants(regret, 10), all_of(points));
    CHECK(choice_at(tree, {16}) == 0);
    CHECK(choice_at(tree, {31}) == 0);
    CHECK(choice_at(tree, {33}) == 1);
    CHECK(choice_at(tree, {1e9}) == 1);
    CHECK(choice_at(tree, {-5}) == 0);
}

TEST_CASE("a choice that may not serve a size is not chosen for it, whatever its time")
{
    std::vector<tree_point> const points{
        {.inputs = {16}, .seconds = {1.0}, .is_usable = {false}, .default_s = 3}};
    regret_table const regret(points);
    CHECK(choose_variants(regret, 10).empty());
    auto const tree = grow_tree(points, regret, {0}, all_of(points));
    CHECK(choice_at(tree, {16}) == choice_node::none);
}

TEST_CASE("a choice that failed at a size is parted from it, or not chosen at all")
{
    std::vector<tree_point> points{{.inputs = {64},
                                    .seconds = {{}},
                                    .is_usable = {true},
                                    .has_failed = {true},
                                    .default_s = 1},
                                   {.inputs = {1024},
                                    .seconds = {1.0},
                                    .is_usable = {true},
                                    .has_failed = {false},
                                    .default_s = 2}};
    regret_table const apart(points);
    auto const tree = grow_tree(points, apart, choose_variants(apart, 10), all_of(points));
    CHECK(choice_at(tree, {64}) == choice_node::none);
    CHECK(choice_at(tree, {1024}) == 0);
    points[1].inputs = points[0].inputs; // no split can part them
    regret_table const together(points);
    CHECK(choice_at(grow_tree(points, together, {0}, all_of(points)), {64}) == choice_node::none);
}

TEST_CASE("one choice that loses little everywhere is enough")
{
    std::vector<tree_point> points;
    for (double n = 2; n < 1'000; n *= 2)
        points.push_back({.inputs = {n}, .seconds = {1.0}, .is_usable = {true}, .default_s = 2});
    regret_table const regret(points);
    CHECK(choose_variants(regret, 10).size() == 1);
    CHECK(grow_tree(points, regret, {0}, all_of(points)).size() == 1);
}

TEST_CASE("what was not measured is expected to lose with its distance")
{
    std::vector<tree_point> const points{
        {.inputs = {16}, .seconds = {1.0, {}}, .is_usable = {true, true}, .default_s = 3},
        {.inputs = {32}, .seconds = {{}, 1.0}, .is_usable = {true, true}, .default_s = 3}};
    regret_table const regret(points);
    CHECK(regret.at(1, 0) == doctest::Approx(0.2));
    CHECK(regret.at(0, 1) == doctest::Approx(0.2));
    CHECK(choose_variants(regret, 1).size() == 1);
}

TEST_CASE("no point loses more than with the best of the chosen; sizes left out lose little")
{
    constexpr std::size_t choices = 12;
    attune::random_engine engine(3);
    std::vector<tree_point> points;
    for (int i = 0; i < 60; ++i)
        points.push_back(model_point(8 << attune::uniform_below(engine, 9), // 8 to 2048
                                     static_cast<double>(1 + attune::uniform_below(engine, 4'000)),
                                     choices));
    regret_table const regret(points);
    std::vector<std::int32_t> const chosen = choose_variants(regret, 10);
    CHECK(chosen.size() <= 10);
    auto const tree = grow_tree(points, regret, chosen, all_of(points));
    for (std::size_t p = 0; p < points.size(); ++p) {
        double best = std::numeric_limits<double>::infinity();
        for (std::int32_t const c : chosen)
            best = std::min(best, regret.at(p, c));
        CHECK(regret.at(p, choice_at(tree, points[p].inputs)) <= best + 1e-5);
    }
    for (double n = 8; n <= 2'048; n *= 1.3) {
        std::int32_t const c = choice_at(tree, {n, 77});
        REQUIRE(c != choice_node::none);
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t other = 0; other < choices; ++other)
            best = std::min(best, model_s(n, 77, other));
        CHECK(model_s(n, 77, static_cast<std::size_t>(c)) / best <= 1.05);
    }
}
