// expect-error: attune: kernel\.grid\(x, y, z\), block\(x, y, z\), cluster\(x, y, z\): give one,
// two or three extents tests/compile_fail/four_extents.cpp - there are three directions.
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
    k.grid(n, 1, 1, 1);
#else
    k.grid(n, 1, 1);
#endif
}
