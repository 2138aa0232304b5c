// expect-error: attune: config\[p\]: p has the name of a parameter of this space, but another
// domain tests/compile_fail/config_of_other_domain.cpp - a name alone does not read a
// configuration. SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

inline constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
inline constexpr auto impostor = attune::boolean<"TILE_M">();
inline constexpr auto space = attune::space(tile_m);
using config = decltype(space)::config_type;

#ifdef ATTUNE_EXPECT_FAIL
auto read(config const& c) { return c[impostor]; }
#else
auto read(config const& c) { return c[tile_m]; }
#endif
