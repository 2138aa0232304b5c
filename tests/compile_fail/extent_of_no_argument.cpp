// expect-error: attune: kernel\.extent<i>\(n\): the kernel has fewer arguments
// tests/compile_fail/extent_of_no_argument.cpp - an extent belongs to an argument.
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
    k.extent<3>(n);
#else
    k.extent<1>(n);
#endif
}
