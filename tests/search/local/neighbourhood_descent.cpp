// tests/search/local/neighbourhood_descent.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/local/neighbourhood_descent.hpp>

#include <attune/declare/group.hpp>
#include <attune/space/build_pack.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::neighbourhood_descent);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, attune::neighbourhood_descent);

using attune::failed_value;
using attune::valued_point;
using attune::detail::nearest_estimate;
using attune::detail::rough_distance;

TEST_CASE("a distance counts parameters that differ, and how far")
{
    attune::chain_of_trees const kept = searcher_trials::valley_space();
    attune::point const a{{0, 0}, {11, 0}, {5, 0}, {0, 0}};
    attune::point const b{{11, 0}, {11, 0}, {5, 0}, {2, 0}};
    CHECK(rough_distance(kept.describe(), a, a) == 0);
    CHECK(rough_distance(kept.describe(), a, b) == doctest::Approx(2 + 2));
    attune::chain_of_trees const reals = search_spaces::mixed();
    CHECK(rough_distance(reals.describe(), {{0, -1}, {0, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0, 0}}) ==
          doctest::Approx(1.5));
}

TEST_CASE(
    "an estimate is the rank of a known configuration, and lies between those of its neighbours")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    std::vector<valued_point> told;
    for (std::uint32_t i = 0; i < 10; ++i)
        told.push_back({{{i, 0}, {0, 0}}, 100.0 + i});
    told[9].value = failed_value;
    nearest_estimate const estimate(space.describe(), told);
    CHECK(estimate(told[0].where, 1) == doctest::Approx(0));
    CHECK(estimate(told[4].where, 1) == doctest::Approx(0.4));
    CHECK(estimate(told[9].where, 1) == doctest::Approx(0.9)); // a failure is last
    double const between = estimate({{4, 0}, {1, 0}}, 3);
    CHECK(between > 0.3);
    CHECK(between < 0.5);
}

TEST_CASE("ranks depend on the order of values alone, and equal values share one")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    std::vector<valued_point> plain{
        {{{0, 0}, {0, 0}}, 1}, {{{5, 0}, {5, 0}}, 2}, {{{9, 0}, {9, 0}}, 2}};
    std::vector<valued_point> bent = plain;
    for (valued_point& t : bent)
        t.value = t.value * t.value * 1e-9;
    nearest_estimate const a(space.describe(), plain);
    nearest_estimate const b(space.describe(), bent);
    for (std::uint64_t i = 0; i < 100; ++i)
        CHECK(a(space.at(i)) == b(space.at(i)));
    CHECK(a(plain[1].where, 1) == a(plain[2].where, 1));
}

TEST_CASE("without outcomes nothing is known")
{
    attune::chain_of_trees const space = search_spaces::grid(3);
    CHECK(nearest_estimate(space.describe(), {})(space.at(std::uint64_t{0})) == 0.5);
}

TEST_CASE("only the last outcomes count when there are many")
{
    attune::chain_of_trees const space = search_spaces::grid(3);
    std::vector<valued_point> const told{
        {{{0, 0}, {0, 0}}, 1}, {{{1, 0}, {1, 0}}, 5}, {{{2, 0}, {2, 0}}, 9}};
    nearest_estimate const estimate(space.describe(), told, 2);
    CHECK(estimate({{0, 0}, {0, 0}}, 1) == doctest::Approx(0)); // that of (1, 1), the best of two
}

using attune::detail::wide_climb;

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, wide_climb);
TEST_CASE_TEMPLATE_INVOKE(searcher_learns, wide_climb);

namespace {

/// The least value of `count` configurations.
template <class Cost>
double least_of(attune::chain_of_trees const& space, int count, Cost const& cost)
{
    wide_climb s(space, 7);
    double out = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) {
        attune::point const asked = searcher_law::asked_of(s);
        REQUIRE(space.contains(asked));
        double const value = cost(asked);
        out = std::min(out, value);
        s.tell(asked, attune::measurement::exact(value));
    }
    return out;
}

} // namespace

TEST_CASE("wide_climb comes near to a hidden order and a hidden array")
{
    constexpr auto order = attune::permutation<"ORDER", 64>();
    constexpr auto numbers = attune::array_of<64>(attune::integer<"A">(0, 15));
    attune::chain_of_trees const space = attune::build(attune::space(order, numbers));
    attune::description const& d = space.describe();
    // Random ones have about 21 a place and 5.3 an element.
    auto const cost = [&](attune::point const& p) {
        auto const items = attune::detail::order_of(d, 0, p);
        auto const elements = attune::detail::elements_in(d, d.groups[1].first, p);
        double sum = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            sum += std::abs(static_cast<double>(i) - items[i]);
            sum += std::abs(static_cast<double>(i % 16) - elements[i].index);
        }
        return sum / 64;
    };
    CHECK(least_of(space, 2000, cost) < 9);
}

TEST_CASE("wide_climb keeps constraints where no tree holds an array")
{
    constexpr auto numbers = attune::array_of<60>(attune::integer<"A">(0, 15));
    attune::chain_of_trees const space = attune::build(attune::space(numbers).where(
        numbers[0] + numbers[20] + numbers[40] <= 30, numbers[1] <= numbers[59]));
    auto const cost = [](attune::point const& p) {
        double sum = 0;
        for (attune::coordinate const& c : p)
            sum += 15 - c.index;
        return sum;
    };
    CHECK(least_of(space, 1000, cost) < 300); // random ones: about 450
}
