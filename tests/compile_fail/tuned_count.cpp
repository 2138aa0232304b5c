// expect-error: arguments_given_and_expected<3, 4|requires 4 arguments, but 3 were provided
// tests/compile_fail/tuned_count.cpp - a call with too few arguments says how many the kernel takes.
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
    std::vector<float> a, b, y;
#ifdef ATTUNE_EXPECT_FAIL
    f(a, b, y);
#else
    f(a, b, y, 1);
#endif
}
