// tests/package/search.cpp - a consumer of the optimizer.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/search/optimizer.hpp>

#include <cstdio>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 3, 4));
inline constexpr auto space = attune::space(tile, unroll).where(tile % unroll == 0);

int main()
{
    attune::optimizer optimizer{space};
    while (auto const tried = optimizer.ask())
        optimizer.tell(*tried, 10.0 / (*tried)[tile] + (*tried)[unroll]);
    std::printf("best tile = %d\n", (*optimizer.best())[tile]);
    return (*optimizer.best())[tile] == 8 ? 0 : 1;
}
