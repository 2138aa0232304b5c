// tests/package/light.cpp - a consumer of the declarations alone; nothing is linked.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <cstdio>

inline constexpr auto tile_rows = attune::ordinal<"TILE_ROWS">(attune::powers_of_two(8, 64));
inline constexpr auto tile_columns = attune::ordinal<"TILE_COLUMNS">(attune::powers_of_two(8, 64));
inline constexpr auto space =
    attune::space(tile_rows, tile_columns).where(tile_rows * tile_columns <= 1024);

int main()
{
    std::printf("attune %s, %zu parameters\n", attune::version, space.size);
    return space.size == 2 ? 0 : 1;
}
