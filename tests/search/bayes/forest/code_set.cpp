// tests/search/bayes/forest/code_set.cpp - a set of bytes.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/code_set.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

TEST_CASE("a set has what was added, in ascending order, across its words")
{
    attune::detail::forest::code_set set;
    std::vector<std::uint8_t> const added{255, 0, 63, 64, 127, 128, 7, 64};
    for (auto const code : added)
        set.add(code);
    std::set<std::uint8_t> const want(added.begin(), added.end());
    for (unsigned v = 0; v < 256; ++v)
        CHECK(set.has(static_cast<std::uint8_t>(v)) == want.contains(static_cast<std::uint8_t>(v)));
    std::vector<std::uint8_t> visited;
    set.for_each([&](std::uint8_t code) { visited.push_back(code); });
    CHECK(visited == std::vector<std::uint8_t>(want.begin(), want.end()));
}

TEST_CASE("an empty set visits nothing and equals another empty one")
{
    attune::detail::forest::code_set const empty;
    empty.for_each([](std::uint8_t) { CHECK(false); });
    CHECK(empty == attune::detail::forest::code_set{});
}
