// expect-error: argument_does_not_fit<2.*span<const float|span<const float>' for 2nd argument
// tests/compile_fail/tuned_argument.cpp - a call with a wrong argument says which one, and what the kernel takes.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>
#include <type_traits>
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
    // A wrong call is a refusal that a concept sees.
    static_assert(!std::is_invocable_v<decltype(f)&, std::vector<double>&, std::vector<float>&,
                                       std::vector<float>&, int>);
    f(a, b, y, 1);
}
