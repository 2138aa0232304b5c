// expect-error: kernel.fallback\(f\): f must be a function, or a lambda without captures
// tests/compile_fail/fallback_of_another_type.cpp - a fallback has the kernel's own type.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
    attune::kernel<void(std::span<float>, int)> k{"k", attune::source_text("", "k.cpp"), all};
    k.fallback([](std::span<float>, int) {});
#ifdef ATTUNE_EXPECT_FAIL
    k.fallback([](std::span<double>, int) {});
#endif
}
