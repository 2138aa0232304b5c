// expect-error: attune: kernel\.grid\(\.\.\.\), block\(\.\.\.\), cluster\(\.\.\.\): an extent is a
// whole number tests/compile_fail/grid_of_a_real.cpp - blocks are counted. SPDX-License-Identifier:
// MIT
#include <attune/attune.hpp>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(32, 256));
inline constexpr auto all = attune::space(tile);

int main()
{
    attune::kernel<void(attune::device_span<float>, float*, int)> k{
        "k", attune::source_text("", "k.cu"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.grid(0.5 * n);
#else
    k.grid(n / 2);
#endif
}
