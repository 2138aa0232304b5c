// expect-error: kernel.precondition.* and return whether variants may serve
// tests/compile_fail/kernel_precondition.cpp - a condition on calls takes their arguments.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel.hpp>

#include <span>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile);

void declare()
{
    attune::kernel<void(std::span<float>, int)> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                                       space};
#ifdef ATTUNE_EXPECT_FAIL
    kernel.precondition([](std::span<float> x) { return x.size() > 0; });
#else
    kernel.precondition([](std::span<float> x, int) { return x.size() > 0; });
#endif
}
