// expect-error: attune: kernel\.work\(flops, bytes\): each is a number or an expression
// tests/compile_fail/text_as_work.cpp - a text is no number of flops.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto mode = attune::categorical<"MODE">("fast", "safe");
inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto all = attune::space(mode);

int main()
{
    attune::kernel<void(std::span<float>, int)> k{"k", attune::source_text("", "k.cpp"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.work(2 * n, mode);
#else
    k.work(2 * n, 4 * n);
#endif
}
