// expect-error: a kernel returns void
// tests/compile_fail/kernel_result.cpp - a kernel writes to spans and returns nothing.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<int(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
#endif
}
