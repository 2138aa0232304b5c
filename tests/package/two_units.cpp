// tests/package/two_units.cpp - the second unit of a program: a space here, a tuning in tuned.cpp.
// SPDX-License-Identifier: MIT
#include <attune/space/build_pack.hpp>
#include <attune/tunable.hpp>

#include <cstdio>

int tune_and_remember();

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8));
inline constexpr auto lanes = attune::ordinal<"LANES">(attune::values(1, 2, 4));
inline constexpr auto tiles = attune::space(tile, lanes).where(lanes <= tile);

int main()
{
    auto const size = attune::build(tiles).size();
    std::printf("configurations = %d\n", size ? static_cast<int>(*size) : -1);
    return size == 9 ? tune_and_remember() : 1;
}
