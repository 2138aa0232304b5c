// expect-error: attune: kernel\.require\(\.\.\.\): this condition reads nothing of the compiled
// code tests/compile_fail/rule_of_parameters.cpp - what is known before compiling is a constraint.
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
    k.require(tile <= n);
#else
    k.require(tile * attune::registers <= n);
#endif
}
