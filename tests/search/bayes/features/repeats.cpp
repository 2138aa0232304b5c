// tests/search/bayes/features/repeats.cpp - a feature that groups points as another one does says nothing.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/repeats.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::detail::follows;
using attune::detail::repeats;
using levels = std::vector<std::uint32_t>;

namespace {

bool repeat(levels const& a, levels const& b, bool a_ordered = true, bool b_ordered = true)
{
    bool const one = repeats({a, 5, a_ordered}, {b, 5, b_ordered});
    CHECK(one == repeats({b, 5, b_ordered}, {a, 5, a_ordered}));
    return one;
}

} // namespace

TEST_CASE("equal, renumbered and reversed levels repeat")
{
    CHECK(repeat({0, 1, 2, 1}, {0, 1, 2, 1}));
    CHECK(repeat({0, 1, 2, 1}, {1, 3, 4, 3}));
    CHECK(repeat({0, 1, 2, 1}, {4, 2, 0, 2}));
}

TEST_CASE("another order of three groups is another feature, of two groups it is not")
{
    CHECK_FALSE(repeat({0, 1, 2}, {1, 0, 2}));
    CHECK(repeat({0, 1, 1, 0}, {3, 0, 0, 3}));
    CHECK_FALSE(repeat({0, 1, 2}, {0, 1, 2}, true, false));
    CHECK(repeat({0, 1, 0}, {0, 1, 0}, true, false));
}

TEST_CASE("a coarser, a finer and an unrelated grouping are other features")
{
    CHECK_FALSE(repeat({0, 1, 2, 3}, {0, 0, 1, 1}));
    CHECK_FALSE(repeat({0, 1, 0, 1}, {0, 0, 1, 1}));
}

TEST_CASE("levels follow a line when they only rise or only fall along it")
{
    std::vector<double> const line{0.9, 0.1, 0.5, 0.1};
    CHECK(follows(levels{2, 0, 1, 0}, line));
    CHECK(follows(levels{0, 3, 3, 3}, line));
    CHECK(follows(levels{1, 1, 1, 1}, line));
    CHECK_FALSE(follows(levels{1, 0, 2, 0}, line));
    CHECK_FALSE(follows(levels{2, 0, 1, 1}, line)); // differ where the line is equal
}
