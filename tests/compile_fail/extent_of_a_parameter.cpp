// expect-error: attune: kernel\.extent<i>\(n\): n reads a parameter
// tests/compile_fail/extent_of_a_parameter.cpp - all variants work on the same arrays.
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
    k.extent<1>(n * tile);
#else
    k.extent<1>(n * 2);
#endif
}
