// expect-error: an extent is a whole number, or an expression over parameters and inputs
// tests/compile_fail/grid_of_code.cpp - what code takes is not known when the launch is.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(32, 256));
inline constexpr auto all = attune::space(tile);

int main()
{
    attune::kernel<void(attune::device_span<float>, float*, int)> k{
        "k", attune::source_text("", "k.cu"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.block(attune::registers);
#else
    k.block(tile);
#endif
}
