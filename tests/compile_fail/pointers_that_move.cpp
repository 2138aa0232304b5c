// expect-error: an array of pointers that the kernel may change
// tests/compile_fail/pointers_that_move.cpp - the kernel may not exchange them.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(std::span<float*>)> const k{"k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<void(std::span<float* const>)> const k{"k", attune::source_text("", "k.cpp"),
                                                          all};
#endif
}
