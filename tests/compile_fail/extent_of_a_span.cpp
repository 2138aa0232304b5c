// expect-error: attune: kernel\.extent<i>\(n\): argument i is no raw pointer
// tests/compile_fail/extent_of_a_span.cpp - a span knows its size.
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
    k.extent<0>(n);
#else
    k.extent<1>(n);
#endif
}
