// tests/package/two_units.cpp - the second unit of a program: the optimizer here, a tuning in tuned.cpp.
// SPDX-License-Identifier: MIT
#include <attune/search/optimizer.hpp>
#include <attune/tunable.hpp>

#include <cstdio>

int tune_and_remember();

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8));
inline constexpr auto tiles = attune::space(tile);

int main()
{
    attune::optimizer optimizer{tiles};
    while (auto const tried = optimizer.ask())
        optimizer.tell(*tried, 1.0 / (*tried)[tile]);
    std::printf("best tile = %d\n", (*optimizer.best())[tile]);
    return (*optimizer.best())[tile] == 8 ? tune_and_remember() : 1;
}
