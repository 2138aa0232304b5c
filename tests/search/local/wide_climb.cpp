// tests/search/local/wide_climb.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/local/wide_climb.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

using attune::detail::wide_climb;

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, wide_climb);

TEST_CASE("wide_climb finds the bottom of a valley sooner than chance")
{
    searcher_trials::check_finds_valley_sooner_than_chance<wide_climb>();
}

TEST_CASE("wide_climb searches real parameters, permutations and tiles under constraints")
{
    searcher_trials::check_every_kind<wide_climb>();
}

TEST_CASE("wide_climb gets out of a region where everything fails")
{
    searcher_trials::check_escapes_failures<wide_climb>();
}

namespace {

/// The least value of `count` configurations.
template <class Cost>
double least_of(attune::chain_of_trees const& space, int count, Cost const& cost)
{
    wide_climb s(space, 7);
    double out = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) {
        std::vector<attune::point> const asked = s.ask(1);
        REQUIRE(asked.size() == 1);
        REQUIRE(space.contains(asked[0]));
        double const value = cost(asked[0]);
        out = std::min(out, value);
        s.tell(asked[0], attune::measurement::exact(value));
    }
    return out;
}

} // namespace

TEST_CASE("wide_climb comes near to a hidden order and a hidden array")
{
    constexpr auto order = attune::permutation<"ORDER", 64>();
    constexpr auto numbers = attune::array_of<64>(attune::integer<"A">(0, 15));
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(order, numbers))));
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
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(numbers).where(
            numbers[0] + numbers[20] + numbers[40] <= 30, numbers[1] <= numbers[59]))));
    auto const cost = [](attune::point const& p) {
        double sum = 0;
        for (attune::coordinate const& c : p)
            sum += 15 - c.index;
        return sum;
    };
    CHECK(least_of(space, 1000, cost) < 300); // random ones: about 450
}
