// expect-error: attune: config\[p\]: p is not a parameter of this space
// tests/compile_fail/config_of_foreign.cpp - a configuration is read by the parameters of its
// space. SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
inline constexpr auto space = attune::space(tile_m);
using config = decltype(space)::config_type;

#ifdef ATTUNE_EXPECT_FAIL
int read(config const& c) { return c[unroll]; }
#else
int read(config const& c) { return c[tile_m]; }
#endif
