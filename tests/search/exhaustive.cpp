// tests/search/exhaustive.cpp : mirrors include/attune/search/exhaustive.hpp
// SPDX-License-Identifier: MIT
// clang-format off: the header under test comes first
#include <attune/search/exhaustive.hpp>
// clang-format on

#include <attune/core/error.hpp>

#include <doctest/doctest.h>

#include "../laws/searcher.hpp"

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, attune::exhaustive_searcher);

TEST_CASE("exhaustive_searcher goes by index")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::exhaustive_searcher s(space);
    std::vector<attune::point> const first = s.ask(10);
    REQUIRE(first.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(first[i] == space.at(std::uint64_t{i}));
}

TEST_CASE("exhaustive_searcher refuses real parameters and says what to do")
{
    CHECK_THROWS_WITH_AS(attune::exhaustive_searcher{search_spaces::mixed()},
                         doctest::Contains("real parameter"), attune::error);
}
