// tests/support/nest_arrays.hpp - axes and arrays of programs that must not compile, and of their twins.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/declaration.hpp>

inline constexpr auto i = attune::axis<"i">();
inline constexpr auto j = attune::axis<"j">();
inline constexpr auto k = attune::axis<"k">();
inline constexpr auto a = attune::array<"a", float, 8, 4>();
inline constexpr auto b = attune::array<"b", float, 4, 6>();
inline constexpr auto c = attune::array<"c", float, 8, 6>();
inline constexpr auto x = attune::array<"x", float, 8>();
inline constexpr auto y = attune::array<"y", float, 6>();
inline constexpr auto t = attune::temporary<"t", float, 8>();

using attune::detail::declare_nest;
