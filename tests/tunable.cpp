// tests/tunable.cpp : mirrors include/attune/tunable.hpp, which it includes first
#include <attune/tunable.hpp>

#include <doctest/doctest.h>
#include <type_traits>

TEST_CASE("a kernel file that compiles by itself has the defaults")
{
    constexpr int tile = ATTUNE_TUNABLE(TILE_M, 64);
    CHECK(tile == 64);
    int const array[ATTUNE_TUNABLE(LENGTH, 3)] = {};
    CHECK(sizeof array == 3 * sizeof(int));
#if ATTUNE_TUNABLE(UNROLL, 4) == 4
    CHECK(true);
#else
    CHECK(false);
#endif
}

TEST_CASE("a default may hold commas")
{
    constexpr int order[] = {ATTUNE_TUNABLE(ORDER, 2, 0, 1)};
    CHECK(order[0] == 2);
    CHECK(sizeof order == 3 * sizeof(int));
    CHECK(std::is_same_v<ATTUNE_TUNABLE(TYPE, double), double>);
}
