// expect-error: an index is a sum of axes
// tests/compile_fail/nest_index_not_affine.cpp - indices are known before the arrays are.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/declaration.hpp>

constexpr auto i = attune::axis<"i">();
constexpr auto j = attune::axis<"j">();
constexpr auto k = attune::axis<"k">();
constexpr auto a = attune::array<"a", float, 8, 4>();
constexpr auto b = attune::array<"b", float, 4, 6>();
constexpr auto c = attune::array<"c", float, 8, 6>();
constexpr auto x = attune::array<"x", float, 8>();
constexpr auto y = attune::array<"y", float, 6>();
constexpr auto t = attune::temporary<"t", float, 8>();

#ifdef ATTUNE_EXPECT_FAIL
constexpr auto program = attune::detail::declare_nest<"program">(x[i] = a[i][x[i]]);
#else
constexpr auto program = attune::detail::declare_nest<"program">(x[i] = a[i][3]);
#endif
