// tests/package/space.cpp - a consumer of the spaces alone.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>
#include <attune/space/build_pack.hpp>

#include <cstdio>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 3, 4));
inline constexpr auto space = attune::space(tile, unroll).where(tile % unroll == 0);

int main()
{
    attune::chain_of_trees const valid = attune::build(space);
    std::printf("%llu configurations\n", static_cast<unsigned long long>(valid.size().value()));
    return valid.size() == 9u ? 0 : 1;
}
