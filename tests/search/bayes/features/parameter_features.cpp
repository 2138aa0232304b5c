// tests/search/bayes/features/parameter_features.cpp - every kind of parameter as features.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/parameter_features.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

using attune::coordinate;
using attune::description;
using attune::detail::features_of;
using attune::detail::parameter_feature;

namespace {

template <class... P>
description bound_space(P const&... parameters)
{
    return attune::bind_inputs(attune::lower(attune::space(parameters...)));
}
std::vector<parameter_feature> only(description const& space, std::vector<bool> occurs = {},
                                    std::uint32_t most = 8192)
{
    if (occurs.empty()) occurs.assign(space.parameters[0].value_count(), true);
    return features_of(space, 0, occurs, most);
}

} // namespace

TEST_CASE("positive numbers stand by their logarithm, others by their difference")
{
    auto const positive = only(bound_space(attune::ordinal<"P">(attune::values(1, 10, 100))));
    REQUIRE(positive.size() == 1);
    CHECK(positive[0].levels == 3);
    CHECK(positive[0].dimensions == 1);
    CHECK(positive[0].places[1] == doctest::Approx(0.5));
    auto const zero = only(bound_space(attune::ordinal<"Z">(attune::values(0, 1, 4))));
    CHECK(zero[0].places[1] == doctest::Approx(0.25));
}

TEST_CASE("only values that occur set the ends, and a single one is no feature")
{
    description const d = bound_space(attune::ordinal<"P">(attune::values(1, 2, 4, 8, 16)));
    auto const some = only(d, {false, true, true, true, false});
    CHECK(some[0].levels == 3);
    REQUIRE(some[0].places.size() == 3);
    CHECK(some[0].places[0] == 0);
    CHECK(some[0].places[1] == doctest::Approx(0.5));
    CHECK(some[0].places[2] == 1);
    std::vector<std::uint32_t> levels;
    for (std::uint32_t v = 0; v < 5; ++v)
        levels.push_back(some[0].level_at(d.parameters[0], coordinate{v, 0}));
    CHECK(levels == std::vector<std::uint32_t>{0, 0, 1, 2, 2});
    CHECK(only(d, {false, false, true, false, false}).empty());
}

TEST_CASE("choices are nominal")
{
    for (description const& d :
         {bound_space(attune::categorical<"C">("x", "y", "z")), bound_space(attune::boolean<"C">()),
          bound_space(attune::permutation<"C", 3>().metric(attune::order_distance::naive))}) {
        auto const f = only(d);
        REQUIRE(f.size() == 1);
        CHECK(f[0].levels == d.parameters[0].value_count());
        CHECK(f[0].dimensions == 0);
        CHECK(f[0].level_at(d.parameters[0], coordinate{1, 0}) == 1);
    }
}

TEST_CASE("orders and tiles have several dimensions")
{
    CHECK(only(bound_space(attune::permutation<"O", 4>()))[0].dimensions == 4);
    CHECK(
        only(bound_space(attune::permutation<"O", 4>().metric(attune::order_distance::kendall)))[0]
            .dimensions == 6);
    CHECK(only(bound_space(attune::tile<"T", 3>(24)))[0].dimensions == 3);
}

TEST_CASE("only orders and tiles that occur have levels, at the places they have among all")
{
    for (description const& d :
         {bound_space(attune::permutation<"O", 3>()), bound_space(attune::tile<"T", 2>(32))}) {
        auto const all = only(d);
        auto const some = only(d, {false, true, true, false, false, true});
        REQUIRE(some[0].levels == 3);
        REQUIRE(some[0].dimensions == all[0].dimensions);
        std::size_t const n = all[0].dimensions;
        for (std::uint32_t const v : {1U, 2U, 5U}) {
            std::uint32_t const level = some[0].level_at(d.parameters[0], coordinate{v, 0});
            for (std::size_t i = 0; i < n; ++i)
                CHECK(some[0].places[level * n + i] == all[0].places[v * n + i]);
        }
    }
}

TEST_CASE("a wide permutation becomes the place of each item")
{
    description const d = bound_space(attune::permutation<"O", 4>());
    auto const f = only(d, {}, 23);
    REQUIRE(f.size() == 4);
    CHECK(f[2].name == "O.position(2)");
    CHECK(f[2].levels == 4);
    CHECK(f[2].places[1] == doctest::Approx(1.0 / 3));
    for (std::uint32_t v = 0; v < 24; ++v) {
        auto const order = attune::elements_at(d.parameters[0], v);
        for (std::uint32_t item = 0; item < 4; ++item)
            CHECK(order[f[item].level_at(d.parameters[0], coordinate{v, 0})] == item);
    }
}

TEST_CASE("a wide tile becomes the logarithm of each factor")
{
    description const d = bound_space(attune::tile<"T", 2>(64));
    auto const f = only(d, {}, 6);
    REQUIRE(f.size() == 2);
    CHECK(f[1].name == "T[1]");
    CHECK(f[1].levels == 7);
    for (std::uint32_t v = 0; v < 7; ++v) {
        CHECK(f[0].level_at(d.parameters[0], coordinate{v, 0}) == v); // 1, 2, ... 64 first
        CHECK(f[1].level_at(d.parameters[0], coordinate{v, 0}) == 6 - v);
        CHECK(f[1].places[v] == doctest::Approx(v / 6.0));
    }
}

TEST_CASE("a wide range is continuous")
{
    description const d = bound_space(attune::integer<"W">(1, 1000));
    auto const f = only(d, {}, 999);
    REQUIRE(f.size() == 1);
    CHECK(f[0].levels == 0);
    CHECK(f[0].position_at(d.parameters[0], coordinate{0, 0}) == 0);
    CHECK(f[0].position_at(d.parameters[0], coordinate{999, 0}) == doctest::Approx(1));
    CHECK(f[0].position_at(d.parameters[0], coordinate{9, 0}) == doctest::Approx(1.0 / 3));
}

TEST_CASE("a real parameter stands on its scale")
{
    description const linear = bound_space(attune::real<"R">(1.0, 100.0));
    description const log = bound_space(attune::real<"R">(1.0, 100.0).log_scale());
    auto const at = [](description const& d, double v) {
        auto const f = features_of(d, 0, {}, 10);
        CHECK(f[0].levels == 0);
        return f[0].position_at(d.parameters[0], coordinate{0, v});
    };
    CHECK(at(linear, 10) == doctest::Approx(9.0 / 99));
    CHECK(at(log, 10) == doctest::Approx(0.5));
}

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

using attune::detail::level_scale;
using attune::detail::spacing;

TEST_CASE("a few numbers are one level each, equally far where their ratios are equal")
{
    level_scale const scale(std::vector<double>{1, 4, 16, 256}, spacing::log, 60);
    REQUIRE(scale.places().size() == 4);
    CHECK(scale.places()[0] == 0);
    CHECK(scale.places()[1] == doctest::Approx(0.25));
    CHECK(scale.places()[2] == doctest::Approx(0.5));
    CHECK(scale.places()[3] == 1);
    CHECK(scale.level_of(1) == 0);
    CHECK(scale.level_of(4) == 1);
    CHECK(scale.level_of(16) == 2);
    CHECK(scale.level_of(256) == 3);
}

TEST_CASE("a number that did not occur takes the nearest level, none the lowest")
{
    level_scale const scale(std::vector<double>{1, 4, 16, 256}, spacing::log, 60);
    CHECK(scale.level_of(1.9) == 0); // the middle of 1 and 4 is 2
    CHECK(scale.level_of(2.1) == 1);
    CHECK(scale.level_of(-5) == 0);
    CHECK(scale.level_of(1e9) == 3);
    CHECK(scale.level_of(std::nullopt) == 0);
    level_scale const linear(std::vector<double>{-2, 0, 10}, spacing::linear, 60);
    CHECK(linear.level_of(4.9) == 1);
    CHECK(linear.level_of(5.1) == 2);
    CHECK(linear.places()[1] == doctest::Approx(1.0 / 6));
}

TEST_CASE("sizes that may be zero are spaced by the logarithm of one more")
{
    using attune::detail::spacing_for;
    CHECK(spacing_for(0.5) == spacing::log);
    CHECK(spacing_for(0) == spacing::log_plus);
    CHECK(spacing_for(-1) == spacing::linear);
    level_scale const scale(std::vector<double>{0, 1, 3}, spacing::log_plus, 60);
    CHECK(scale.places()[1] == doctest::Approx(0.5));
}

TEST_CASE("spacing has an inverse")
{
    for (auto const how : {spacing::linear, spacing::log, spacing::log_plus})
        for (double const v : {0.25, 1.0, 4096.0})
            CHECK(attune::detail::unspaced(attune::detail::spaced(v, how), how) ==
                  doctest::Approx(v));
}

TEST_CASE("many numbers share levels, and each has the level it was put in")
{
    std::vector<double> numbers;
    for (int i = 1; i <= 1000; ++i)
        numbers.push_back(i);
    level_scale const scale(numbers, spacing::linear, 10);
    REQUIRE(scale.places().size() == 10);
    for (int i = 0; i < 1000; ++i) // a hundred each
        CHECK(scale.level_of(numbers[static_cast<std::size_t>(i)]) ==
              static_cast<std::uint32_t>(i / 100));
    // the means of 1 .. 100, 401 .. 500 and 901 .. 1000 are 50.5, 450.5 and 950.5
    CHECK(scale.places()[4] == doctest::Approx(400.0 / 900));
}

TEST_CASE("the widest level is as narrow as can be, as brute force finds")
{
    attune::random_engine engine(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> numbers;
        for (int i = 0; i < 9; ++i)
            numbers.push_back(std::floor(std::pow(1000, attune::uniform_unit(engine)) * 100));
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        std::size_t const n = numbers.size();
        level_scale const scale(numbers, spacing::linear, 4);
        CHECK(scale.places().size() <= 4);
        double widest = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j)
                if (scale.level_of(numbers[i]) == scale.level_of(numbers[j]))
                    widest = std::max(widest, numbers[j] - numbers[i]);
        double best = 1e300;
        for (std::size_t cuts = 0; cuts < (std::size_t{1} << (n - 1)); ++cuts) {
            if (std::popcount(cuts) > 3) continue;
            double width = 0;
            std::size_t first = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (i + 1 == n || (cuts >> i & 1U) != 0) {
                    width = std::max(width, numbers[i] - numbers[first]);
                    first = i + 1;
                }
            best = std::min(best, width);
        }
        CHECK(widest == best);
    }
}

TEST_CASE("neighbouring doubles and a single number are levels too")
{
    double const next = std::nextafter(1.0, 2.0);
    level_scale const close(std::vector<double>{1, next}, spacing::log, 60);
    CHECK(close.level_of(1) == 0);
    CHECK(close.level_of(next) == 1);
    level_scale const one(std::vector<double>{7}, spacing::log, 60);
    CHECK(one.places() == std::vector<double>{0});
    CHECK(one.level_of(9) == 0);
}
