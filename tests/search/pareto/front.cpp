// tests/search/pareto/front.cpp : mirrors include/attune/search/pareto/front.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/pareto/front.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::dominates;
using attune::hypervolume;
using attune::non_dominated;
using attune::two_values;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

/// Values on a coarse grid, so that many of them tie.
std::vector<two_values> random_values(std::size_t count, std::uint64_t levels, std::uint64_t seed)
{
    attune::random_engine engine(seed);
    std::vector<two_values> out;
    for (std::size_t i = 0; i < count; ++i) {
        double const a = static_cast<double>(attune::uniform_below(engine, levels));
        double const b = static_cast<double>(attune::uniform_below(engine, levels));
        out.push_back({a, b});
    }
    return out;
}

/// Cells of the unit grid that some value dominates: the area for values on that grid.
double counted_cells(std::vector<two_values> const& values, int reference)
{
    int cells = 0;
    for (int x = 0; x < reference; ++x)
        for (int y = 0; y < reference; ++y)
            cells += std::any_of(values.begin(), values.end(),
                                 [&](two_values const& v) { return v[0] <= x && v[1] <= y; });
    return cells;
}

} // namespace

TEST_CASE("a value dominates what is nowhere better and somewhere worse")
{
    CHECK(dominates({1, 1}, {1, 2}));
    CHECK(dominates({1, 1}, {2, 1}));
    CHECK(!dominates({1, 1}, {1, 1}));
    CHECK(!dominates({1, 2}, {2, 1}));
    CHECK(!dominates({not_a_number, 1}, {2, 2}));
    CHECK(!dominates({1, 1}, {not_a_number, 2}));
}

TEST_CASE("the front is what no other value dominates, the first of equal ones, by brute force")
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<two_values> const values =
            random_values(1 + seed % 40, seed % 3 == 0 ? 4 : 30, seed);
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < values.size(); ++i) {
            bool kept = true;
            for (std::size_t j = 0; j < values.size(); ++j)
                kept =
                    kept && !dominates(values[j], values[i]) && !(j < i && values[j] == values[i]);
            if (kept) expected.push_back(i);
        }
        std::vector<std::size_t> const found = non_dominated(values);
        for (std::size_t k = 1; k < found.size(); ++k)
            CHECK(values[found[k - 1]][0] < values[found[k]][0]);
        std::vector<std::size_t> sorted = found;
        std::sort(sorted.begin(), sorted.end());
        CHECK(sorted == expected);
    }
}

TEST_CASE("values that are not finite are on no front")
{
    std::vector<two_values> const values{
        {not_a_number, 0}, {0, not_a_number}, {-infinity, 5}, {3, infinity}, {2, 2}, {2, 2}};
    CHECK(non_dominated(values) == std::vector<std::size_t>{4});
    CHECK(non_dominated({}).empty());
    CHECK(hypervolume(values, {4, 5}) == 2 * 3);
    CHECK(hypervolume({}, {4, 5}) == 0);
}

TEST_CASE("the hypervolume is the number of dominated cells, by counting them")
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<two_values> const values = random_values(1 + seed % 25, 24, seed + 100);
        for (int const reference : {1, 9, 20, 24, 30}) {
            double const edge = reference;
            CHECK(hypervolume(values, {edge, edge}) == counted_cells(values, reference));
        }
    }
}

TEST_CASE("the hypervolume of a fine front is the area above the curve")
{
    // ZDT1: f2 = 1 - sqrt(f1); above it, up to (1, 1), is an area of 2 / 3.
    std::vector<two_values> values;
    int const n = 20000;
    for (int i = 0; i <= n; ++i) {
        double const x = static_cast<double>(i) / n;
        values.push_back({x, 1 - std::sqrt(x)});
    }
    CHECK(hypervolume(values, {1, 1}) == doctest::Approx(2.0 / 3).epsilon(1e-4));
    CHECK(hypervolume(std::vector<two_values>{{1, 1}}, {1, 2}) == 0);
    CHECK(hypervolume(std::vector<two_values>{{0, 3}}, {1, 2}) == 0);
}
