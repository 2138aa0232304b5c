// tests/search/bayes/features/embedding.cpp - orders and tiles stand so that distances are Euclidean.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/embedding.hpp>

#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace {

attune::parameter_description order(std::uint32_t items, attune::order_distance metric)
{
    attune::parameter_description p;
    p.kind = attune::parameter_kind::permutation;
    p.parts = items;
    p.metric = metric;
    return p;
}

/// The largest difference between the Euclidean distance and parameter_distance().
double worst(attune::parameter_description const& p)
{
    std::vector<double> const places = attune::detail::embedding(p);
    std::size_t const n = places.size() / p.value_count();
    double out = n * p.value_count() == places.size() ? 0 : 1e9;
    for (std::uint32_t a = 0; a < p.value_count(); ++a)
        for (std::uint32_t b = 0; b < p.value_count(); ++b) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i)
                sum += std::pow(places[a * n + i] - places[b * n + i], 2);
            double const want = attune::parameter_distance(p, {a, 0}, {b, 0});
            out = std::max(out, std::abs(std::sqrt(sum) - want));
        }
    return out;
}

} // namespace

TEST_CASE("the distance of orders is that between their places, whatever the metric")
{
    for (auto const metric : {attune::order_distance::spearman, attune::order_distance::kendall,
                              attune::order_distance::hamming})
        for (std::uint32_t const items : {2U, 3U, 4U, 5U})
            CHECK(worst(order(items, metric)) < 1e-7);
}

TEST_CASE("the distance of tiles is that between their places")
{
    for (std::uint32_t const parts : {1U, 2U, 3U})
        for (std::int64_t const extent : {1, 7, 360}) {
            attune::parameter_description p;
            p.kind = attune::parameter_kind::tile;
            p.parts = parts;
            p.integers = attune::detail::factor_table(extent, parts);
            CHECK(worst(p) < 1e-7);
        }
}

TEST_CASE("one item and the naive metric have no places")
{
    CHECK(attune::detail::embedding(order(1, attune::order_distance::spearman)).empty());
    CHECK(attune::detail::embedding(order(4, attune::order_distance::naive)).empty());
}
