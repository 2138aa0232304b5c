// tests/space/query/distance.cpp : mirrors include/attune/space/query/distance.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <utility>
#include <vector>

#include "../space_writer.hpp"

using attune::coordinate;
using attune::order_distance;
using attune_tests::space_writer;

namespace {

using order = std::vector<std::int64_t>;

/// The axioms of a metric, its range, and that some pair is as far apart as any may be.
template <class Distance>
void check_metric(std::vector<coordinate> const& values, Distance const& d, bool reaches_one = true)
{
    std::size_t wrong = 0;
    double farthest = 0;
    for (coordinate const& a : values)
        for (coordinate const& b : values) {
            double const ab = d(a, b);
            wrong += !(ab >= 0 && ab <= 1 + 1e-12) || ab != d(b, a) || (ab == 0) != (a == b);
            farthest = std::max(farthest, ab);
            for (coordinate const& c : values)
                wrong += ab > d(a, c) + d(c, b) + 1e-12 ? 1U : 0U;
        }
    CHECK(wrong == 0);
    if (reaches_one && values.size() > 1) CHECK(farthest == doctest::Approx(1));
}

std::vector<coordinate> table(attune::parameter_description const& p)
{
    std::vector<coordinate> out;
    for (std::uint32_t i = 0; i < p.value_count(); ++i)
        out.push_back({i, 0});
    return out;
}

} // namespace

TEST_CASE("every kind of parameter has a metric in [0, 1] that reaches 1")
{
    space_writer w;
    w.range("integer", -3, 4);
    w.numbers("ordinal", {1, 2, 4, 100});
    w.fractions("fractions", {-0.5, 0.25, 8});
    w.labels("labels", {"a", "b", "c"});
    w.numbers("choices", {9, 1, 5}, attune::parameter_kind::categorical);
    w.boolean("boolean");
    w.permutation("three", 3);
    w.permutation("four", 4);
    w.tile("pair", 24, 2);
    w.tile("triple", 12, 3);
    w.numbers("logarithmic", {1, 2, 4, 8, 64});
    w.out.parameters.back().on = attune::scale::log;
    w.numbers("one", {5});
    w.tile("prime", 7, 1);
    w.tile("extent 1", 1, 3);
    w.permutation("single", 1);
    for (auto const& p : w.out.parameters) {
        CAPTURE(p.name);
        check_metric(table(p), [&](coordinate a, coordinate b) {
            return attune::parameter_distance(p, a, b);
        });
    }
}

TEST_CASE("the other distances between permutations are metrics too")
{
    space_writer w;
    w.permutation("four", 4);
    for (auto const how :
         {order_distance::kendall, order_distance::hamming, order_distance::naive}) {
        w.out.parameters[0].metric = how;
        check_metric(table(w.out.parameters[0]), [&](coordinate a, coordinate b) {
            return attune::parameter_distance(w.out.parameters[0], a, b);
        });
    }
}

TEST_CASE("the distances between all orders of five items are what their definitions count")
{
    space_writer w;
    w.permutation("five", 5);
    attune::parameter_description& p = w.out.parameters[0];
    // By sorting: Kendall's distance is the least number of swaps of neighbours that lead from one
    // order to the other, so it is found by bubble sort; Spearman's by looking every item up.
    auto const swaps = [](order const& a, order const& b) {
        order ranks;
        for (auto const item : a)
            ranks.push_back(std::find(b.begin(), b.end(), item) - b.begin());
        double count = 0;
        for (std::size_t end = ranks.size(); end > 1; --end)
            for (std::size_t i = 1; i < end; ++i)
                if (ranks[i - 1] > ranks[i]) {
                    std::swap(ranks[i - 1], ranks[i]);
                    ++count;
                }
        return count;
    };
    auto const moved = [](order const& a, order const& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            auto const far =
                (std::find(b.begin(), b.end(), a[i]) - b.begin()) - static_cast<std::ptrdiff_t>(i);
            sum += static_cast<double>(far * far);
        }
        return sum;
    };
    std::size_t wrong = 0;
    auto const differ = [&](double got, double want) {
        wrong += std::abs(got - want) > 1e-12 ? 1U : 0U;
    };
    for (std::uint32_t i = 0; i < 120; i += 7)
        for (std::uint32_t j = 0; j < 120; ++j) {
            order const a = attune::elements_at(p, i);
            order const b = attune::elements_at(p, j);
            auto const distance = [&](order_distance how) {
                p.metric = how;
                return attune::parameter_distance(p, {i, 0}, {j, 0});
            };
            differ(distance(order_distance::kendall), std::sqrt(swaps(a, b) / 10));
            differ(distance(order_distance::spearman), std::sqrt(moved(a, b) / 40));
            double others = 0;
            for (std::size_t k = 0; k < 5; ++k)
                others += a[k] != b[k] ? 1 : 0;
            differ(distance(order_distance::hamming), std::sqrt(others / 5));
            differ(distance(order_distance::naive), a == b ? 0 : 1);
        }
    CHECK(wrong == 0);
}

TEST_CASE("real parameters have a metric on either scale")
{
    space_writer w;
    w.real("x", -2, 6);
    w.real("y", 0.5, 512, attune::scale::log);
    for (auto const& p : w.out.parameters) {
        std::vector<coordinate> values;
        for (double const u : {0.0, 0.1, 0.35, 0.6, 1.0})
            values.push_back({0, attune::detail::scale_value(p, u)});
        check_metric(values, [&](coordinate a, coordinate b) {
            return attune::parameter_distance(p, a, b);
        });
    }
}

TEST_CASE("known distances between numbers")
{
    space_writer w;
    w.numbers("linear", {2, 4, 512, 1024});
    w.numbers("doubling", {2, 4, 512, 1024});
    w.out.parameters[1].rule.steps = attune::progression::doubling;
    auto const d = [&](std::size_t p, std::uint32_t a, std::uint32_t b) {
        return attune::parameter_distance(w.out.parameters[p], {a, 0}, {b, 0});
    };
    CHECK(d(0, 0, 1) == doctest::Approx(2.0 / 1022));
    CHECK(d(0, 2, 3) == doctest::Approx(512.0 / 1022));
    // BaCO Sec. 4.1: 2 and 4 are as similar as 512 and 1024 on a logarithmic scale.
    CHECK(d(1, 0, 1) == doctest::Approx(1.0 / 9));
    CHECK(d(1, 2, 3) == doctest::Approx(1.0 / 9));
}

TEST_CASE("the permutations of BaCO Fig. 3 are as far apart as it says")
{
    // pi = [1, 2, 3, 4] and pi' = [2, 4, 3, 1] give the place of each item: one less here, and as
    // items by place: 0 1 2 3 and 3 0 2 1.
    order const a{0, 1, 2, 3};
    order const b{3, 0, 2, 1};
    // moves 1, 2, 0, 3: d_s = 14 of at most 20; discordant pairs 4 of 6; 3 of 4 items moved
    CHECK(attune::detail::permutation_distance(a, b) == doctest::Approx(std::sqrt(14.0 / 20)));
    CHECK(attune::detail::permutation_distance(a, b, order_distance::kendall) ==
          doctest::Approx(std::sqrt(4.0 / 6)));
    CHECK(attune::detail::permutation_distance(a, b, order_distance::hamming) ==
          doctest::Approx(std::sqrt(3.0 / 4)));
}

TEST_CASE("a reversed order is at distance 1")
{
    for (std::size_t n = 2; n <= 8; ++n) {
        order forward(n);
        for (std::size_t i = 0; i < n; ++i)
            forward[i] = static_cast<std::int64_t>(i);
        order const backward(forward.rbegin(), forward.rend());
        CHECK(attune::detail::permutation_distance(forward, backward) == doctest::Approx(1));
        CHECK(attune::detail::permutation_distance(forward, backward, order_distance::kendall) ==
              doctest::Approx(1));
    }
}

TEST_CASE("tiles compare the ratios of their factors")
{
    order const a{1, 64};
    order const b{64, 1};
    order const c{2, 32};
    CHECK(attune::detail::tile_distance(a, b) == doctest::Approx(1));
    CHECK(attune::detail::tile_distance(a, c) == doctest::Approx(1.0 / 6));
    CHECK(attune::detail::tile_distance(c, c) == 0);
}

TEST_CASE("the distance of two points is the Euclidean norm over their parameters")
{
    space_writer w;
    w.range("a", 0, 10);
    w.boolean("b");
    w.real("x", 0, 1);
    attune::point const p{{0, 0}, {0, 0}, {0, 0.25}};
    attune::point const q{{5, 0}, {1, 0}, {0, 0.75}};
    CHECK(attune::distances(w.out, p, q) == std::vector<double>{0.5, 1, 0.5});
    CHECK(attune::distance(w.out, p, q) == doctest::Approx(std::sqrt(1.5)));
    CHECK(attune::distance(w.out, p, p) == 0);
}

TEST_CASE("an inactive parameter is as far from every value as the farthest, and not from itself")
{
    attune_tests::space_writer w;
    auto const design = w.labels("DESIGN", {"plain", "packed"});
    auto const width = w.range("WIDTH", 0, 4);
    w.out.parameters[width].active = {
        .root = w.join(attune::op::equal, w.read(design), w.text("packed")), .text = "packed"};
    attune::detail::settle_conditions(w.out);
    auto const between = [&](attune::point const& a, attune::point const& b) {
        return attune::distances(w.out, a, b)[1];
    };
    CHECK(between({{1, 0}, {0, 0}}, {{1, 0}, {2, 0}}) == 0.5);
    CHECK(between({{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}) == 1);
    CHECK(between({{0, 0}, {0, 0}}, {{1, 0}, {2, 0}}) == 1);
    CHECK(between({{0, 0}, {0, 0}}, {{0, 0}, {3, 0}}) == 0);
    CHECK(attune::distance(w.out, {{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}) ==
          doctest::Approx(std::sqrt(2.0)));
}

namespace {

std::multiset<std::uint32_t> steps(attune::parameter_description const& parameter, std::uint32_t at)
{
    std::multiset<std::uint32_t> out;
    attune::detail::for_each_step(parameter, {at, 0}, [&](coordinate c) {
        out.insert(c.index);
        return true;
    });
    return out;
}

} // namespace

TEST_CASE("ordered parameters step to the next value that is taken, in both directions")
{
    space_writer w;
    w.range("a", 0, 9);
    CHECK(steps(w.out.parameters[0], 4) == std::multiset<std::uint32_t>{3, 5});
    CHECK(steps(w.out.parameters[0], 0) == std::multiset<std::uint32_t>{1});
    CHECK(steps(w.out.parameters[0], 9) == std::multiset<std::uint32_t>{8});
    std::vector<std::uint32_t> taken;
    attune::detail::for_each_step(w.out.parameters[0], {4, 0}, [&](coordinate c) {
        bool const take = c.index % 4 == 0;
        if (take) taken.push_back(c.index);
        return take;
    });
    CHECK(taken == std::vector<std::uint32_t>{0, 8});
}

TEST_CASE("unordered parameters step to every other value")
{
    space_writer w;
    w.labels("a", {"x", "y", "z"});
    w.boolean("b");
    CHECK(steps(w.out.parameters[0], 1) == std::multiset<std::uint32_t>{0, 2});
    CHECK(steps(w.out.parameters[1], 0) == std::multiset<std::uint32_t>{1});
}

TEST_CASE("a permutation of n items has n (n - 1) / 2 different swaps")
{
    space_writer w;
    w.permutation("p", 4);
    for (std::uint32_t at = 0; at < 24; ++at) {
        auto const near = steps(w.out.parameters[0], at);
        CHECK(near.size() == 6);
        CHECK(std::set<std::uint32_t>(near.begin(), near.end()).size() == 6);
        CHECK(near.count(at) == 0);
    }
}

TEST_CASE("a tile moves one prime factor to another place")
{
    space_writer w;
    w.tile("t", 12, 2); // rows: 1x12 2x6 3x4 4x3 6x2 12x1
    auto const& t = w.out.parameters[0];
    CHECK(steps(t, 0) == std::multiset<std::uint32_t>{1, 2});
    CHECK(steps(t, 1) == std::multiset<std::uint32_t>{0, 3, 4});
    CHECK(steps(t, 5) == std::multiset<std::uint32_t>{4, 3});
}

TEST_CASE("a real parameter moves 5 % of its scale and stops at its ends")
{
    space_writer w;
    w.real("x", 0, 20);
    w.real("y", 1, 1e20, attune::scale::log);
    auto const moves = [](attune::parameter_description const& p, double at) {
        std::vector<double> out;
        attune::detail::for_each_step(p, {0, at}, [&](coordinate c) {
            out.push_back(c.real);
            return true;
        });
        return out;
    };
    auto const middle = moves(w.out.parameters[0], 10);
    REQUIRE(middle.size() == 2);
    CHECK(middle[0] == doctest::Approx(9));
    CHECK(middle[1] == doctest::Approx(11));
    CHECK(moves(w.out.parameters[0], 20).size() == 1);
    auto const near_end = moves(w.out.parameters[0], 19.5);
    REQUIRE(near_end.size() == 2);
    CHECK(near_end[1] == 20);
    auto const decade = moves(w.out.parameters[1], 1e10);
    REQUIRE(decade.size() == 2);
    CHECK(decade[0] == doctest::Approx(1e9));
    CHECK(decade[1] == doctest::Approx(1e11));
}

TEST_CASE("scale_value inverts scale_position")
{
    space_writer w;
    w.real("x", -3, 5);
    w.real("y", 0.25, 64, attune::scale::log);
    w.real("z", 2, 2);
    for (double const u : {0.0, 0.125, 0.5, 1.0})
        for (std::size_t i = 0; i < 2; ++i) {
            double const v = attune::detail::scale_value(w.out.parameters[i], u);
            CHECK(attune::detail::scale_position(w.out.parameters[i], v) == doctest::Approx(u));
        }
    CHECK(attune::detail::scale_value(w.out.parameters[0], 0.5) == 1);
    CHECK(attune::detail::scale_value(w.out.parameters[1], 0.5) == doctest::Approx(4));
    CHECK(attune::detail::scale_position(w.out.parameters[2], 2) == 0);
    CHECK(attune::detail::scale_value(w.out.parameters[2], 0.7) == 2);
}
