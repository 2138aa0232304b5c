// expect-error: kernel.contents.....: give values of attune::array_contents
// tests/compile_fail/kernel_contents.cpp - contents are named, not written.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
    attune::kernel<void(std::span<float>)> k{"k", attune::source_text("", "k.cpp"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.contents(0.0f);
#else
    k.contents(attune::array_contents::zero);
#endif
}
