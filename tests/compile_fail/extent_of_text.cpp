// expect-error: attune: kernel\.extent<i>\(n\): n is a whole number
// tests/compile_fail/extent_of_text.cpp - elements are counted.
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
    k.extent<1>("many");
#else
    k.extent<1>(1000);
#endif
}
