// expect-error: attune: kernel\.require\(\.\.\.\) takes conditions such as
// tests/compile_fail/rule_of_a_value.cpp - a rule says something about code.
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
    k.require(true);
#else
    k.require(attune::spill_bytes == 0);
#endif
}
