// expect-error: attune: kernel\.shared_bytes\(n\): n is a whole number
// tests/compile_fail/shared_bytes_of_a_condition.cpp - bytes are counted.
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
    k.shared_bytes(tile > 32);
#else
    k.shared_bytes(tile * 32);
#endif
}
