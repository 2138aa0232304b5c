// tests/search/bayes/design.cpp : mirrors include/attune/search/bayes/design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/design.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <optional>

#include "../../support/search_spaces.hpp"

TEST_CASE("unseen_points finds the last point of a space in which all others are seen")
{
    attune::chain_of_trees const space = search_spaces::grid(100);
    attune::unseen_points unseen(space);
    for (std::uint64_t i = 0; i < 10000; ++i)
        if (i != 4321) CHECK(unseen.mark(space.at(i)));
    attune::random_engine engine(1);
    CHECK(unseen.draw(engine) == std::optional(space.at(std::uint64_t{4321})));
    CHECK(unseen.draw(engine).has_value()); // a draw does not mark
    unseen.mark(space.at(std::uint64_t{4321}));
    CHECK_FALSE(unseen.draw(engine).has_value());
    CHECK(unseen.seen_count() == 10000);
}

TEST_CASE("unseen_points is not confused by points that are not in the space")
{
    attune::chain_of_trees const space = search_spaces::single();
    attune::unseen_points unseen(space);
    CHECK(unseen.mark(attune::point{{3, 0}}));
    CHECK_FALSE(unseen.mark(attune::point{{3, 0}}));
    attune::random_engine engine(1);
    CHECK(unseen.draw(engine) == std::optional(space.at(std::uint64_t{0})));
}
