// expect-error: a program for a device takes no array that attune::constant.. declares
// tests/compile_fail/constant_on_device.cpp - forms of constant arrays are kept in the host's memory.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/nest.hpp>

constexpr auto i = attune::axis<"i">();
constexpr auto x = attune::array<"x", float, 8>();
constexpr auto w = attune::constant<"w", float, 8>();
constexpr auto y = attune::array<"y", float, 8>();
constexpr auto program = attune::nest<"program">(y[i] = x[i] * w[i]);

void make()
{
#ifdef ATTUNE_EXPECT_FAIL
    static_cast<void>(program.device_kernel());
#else
    static_cast<void>(program.kernel());
#endif
}
