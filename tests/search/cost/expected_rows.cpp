// tests/search/cost/expected_rows.cpp : the column of what is expected
// SPDX-License-Identifier: MIT
#include <attune/search/cost/expected_rows.hpp>

#include <attune/core/error.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "../../support/search_spaces.hpp"

namespace {

attune::description two_rows()
{
    attune::description d;
    d.parameters = {search_spaces::counting("a", 8)};
    d.rows = [](attune::description const&, std::span<attune::coordinate const> at) {
        if (at[0].index == 7) throw attune::error("no such program", "here", "take another");
        return attune::program_rows{{1, 2, 3, 1.0 * at[0].index}, 2};
    };
    return d;
}

} // namespace

TEST_CASE("rows get the logarithm of the expected time, without its level")
{
    attune::description d = two_rows();
    for (double const level : {1.0, 1e-6}) {
        d.expected = [level](std::span<attune::coordinate const> at) {
            return level * std::exp2(static_cast<double>(at[0].index));
        };
        attune::expected_rows const rows{attune::chain_of_trees(d)};
        auto const first = rows.of({{0, 0}});
        REQUIRE(first);
        CHECK(first->width == 3);
        REQUIRE(first->count() == 2);
        CHECK(first->values[0] == 1);
        CHECK(first->values[1] == 2);
        CHECK(first->values[3] == 3);
        CHECK(first->values[4] == 0);
        CHECK(first->values[2] == first->values[5]);
        // The mean of 0 to 7 is 3.5; 64 draws have a standard deviation of 0.29.
        CHECK(std::abs(first->values[2] + 3.5) < 5 * .29);
        for (std::uint32_t i = 1; i < 7; ++i)
            CHECK(rows.of({{i, 0}})->values[2] - first->values[2] == doctest::Approx(i));
        CHECK(!rows.of({{7, 0}}));
    }
}

TEST_CASE("the column is 0 where nothing is expected, or nothing that is a number")
{
    attune::description d = two_rows();
    CHECK(attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}})->values[2] == 0);
    d.expected = [](std::span<attune::coordinate const> at) {
        return at[0].index == 2 ? std::numeric_limits<double>::infinity() : 1.0;
    };
    CHECK(attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}})->values[2] == 0);
    d.rows = {};
    CHECK(!attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}}));
}
