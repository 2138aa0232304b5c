// expect-error: kernel.check_error.* and return the .*error, a double
// tests/compile_fail/kernel_error.cpp - an error is measured as a number.
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
    kernel.check_error(1e-3, [](std::span<float> x, int) { return x.size() > 0; });
#else
    kernel.check_error(1e-3, [](std::span<float> x, int) { return x.size() * 0.5; });
#endif
}
