// expect-error: the arguments of a kernel are std::span
// tests/compile_fail/kernel_argument.cpp - what cannot be restored cannot be an argument.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(float&)> const k{"k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
#endif
}
