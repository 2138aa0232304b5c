// expect-error: kernel.baseline.f.: f must take the kernel's arguments
// tests/compile_fail/kernel_baseline.cpp - own code takes what the kernel takes.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
    attune::kernel<void(std::span<float>)> k{"k", attune::source_text("", "k.cpp"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.baseline([](std::span<float>, int) {});
#else
    k.baseline([](std::span<float>) {});
#endif
}
