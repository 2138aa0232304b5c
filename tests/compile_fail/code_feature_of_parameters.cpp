// expect-error: attune: kernel\.features\(\.\.\.\): this feature reads nothing of the compiled
// code tests/compile_fail/code_feature_of_parameters.cpp - such a feature is one of the space.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(32, 256));
inline constexpr auto all = attune::space(tile);

int main()
{
    attune::kernel<void(attune::device_span<float>, float*, int)> k{
        "k", attune::source_text("", "k.cu"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.features(tile * 4);
#else
    k.features(tile * attune::registers);
#endif
}
