// expect-error: an axis is no index of an array by itself
// tests/compile_fail/nest_unknown_extent.cpp - each axis has an extent.
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
constexpr auto program = attune::detail::declare_nest<"program">(y[j] = attune::sum(k)(x[j + k]));
#else
constexpr auto program = attune::detail::declare_nest<"program">(
    y[j] = attune::sum(attune::axis<"k", 3>())(x[j + attune::axis<"k", 3>()]));
#endif
