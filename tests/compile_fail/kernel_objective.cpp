// expect-error: f must take an attune::measured_call or attune::metered_call
// tests/compile_fail/kernel_objective.cpp - an objective takes the call that it is of.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel.hpp>

#include <span>

inline constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2));
inline constexpr auto space = attune::space(tile);

void declare()
{
    attune::kernel<void(std::span<float>)> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                                  space};
#ifdef ATTUNE_EXPECT_FAIL
    kernel.objective("J", attune::goal::lowest, [](double, std::span<float>) { return 1.0; });
#else
    kernel.objective("J", attune::goal::lowest,
                     [](attune::metered_call run, std::span<float>) { return run.joules; });
#endif
}
