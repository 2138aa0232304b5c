// tests/declare/point.cpp - points compare by what they stand for, and can key a hash table.
// SPDX-License-Identifier: MIT
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <unordered_set>

using attune::coordinate;
using attune::point;

TEST_CASE("two points are equal when all their coordinates are")
{
    CHECK(point{{1, 0}, {0, 0.5}} == point{{1, 0}, {0, 0.5}});
    CHECK(point{{1, 0}, {0, 0.5}} != point{{2, 0}, {0, 0.5}});
    CHECK(point{{1, 0}, {0, 0.5}} != point{{1, 0}, {0, 0.25}});
    CHECK(point{{1, 0}} != point{{1, 0}, {0, 0}});
}

TEST_CASE("equal points have equal hashes and a set of points keeps each once")
{
    std::unordered_set<point, attune::point_hash> seen;
    for (int round = 0; round < 2; ++round)
        for (std::uint32_t a = 0; a < 10; ++a)
            for (std::uint32_t b = 0; b < 10; ++b)
                seen.insert({{a, 0}, {b, 0}, {0, 0.1 * static_cast<double>(a)}});
    CHECK(seen.size() == 100);
    CHECK(seen.contains(point{{3, 0}, {7, 0}, {0, 0.1 * 3.0}}));
    CHECK_FALSE(seen.contains(point{{3, 0}, {7, 0}, {0, 0.35}}));
}

TEST_CASE("ten thousand neighbouring points have ten thousand hashes")
{
    std::set<std::size_t> hashes;
    for (std::uint32_t a = 0; a < 100; ++a)
        for (std::uint32_t b = 0; b < 100; ++b)
            hashes.insert(attune::point_hash{}({{a, 0}, {b, 0}}));
    CHECK(hashes.size() == 10000); // 64 bits: a collision by chance has probability 3e-12
}

TEST_CASE("the order of coordinates matters to the hash")
{
    CHECK(attune::point_hash{}({{1, 0}, {2, 0}}) != attune::point_hash{}({{2, 0}, {1, 0}}));
}
