// expect-error: Number = 2; Given = std::vector<double>&; Expected = std::span<const
// float>|refuse_argument<2U?L?, std::vector<double> &, std::span<const float>>
// tests/compile_fail/tuned_argument.cpp - a call with a wrong argument says which one, and what the kernel takes.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>
#include <vector>

#include "../support/minimal_compiler.hpp"

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);
    attune::kernel<signature> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned f{k, attune_test::minimal_compiler{}};
    std::vector<float> a, y;
#ifdef ATTUNE_EXPECT_FAIL
    std::vector<double> b;
#else
    std::vector<float> b;
#endif
    f(a, b, y, 1);
}
