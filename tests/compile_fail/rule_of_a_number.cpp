// expect-error: attune: kernel\.require\(\.\.\.\): this is a number, not a condition
// tests/compile_fail/rule_of_a_number.cpp - a rule holds or does not.
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
    k.require(attune::registers + n);
#else
    k.require(attune::registers + n < 64);
#endif
}
