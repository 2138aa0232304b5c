// expect-error: the kernel returns nothing
// tests/compile_fail/result_of_nothing.cpp - there is nothing to tolerate.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(std::span<float>)>{"k", attune::source_text("", "k.cpp"), all}
        .tolerate_result({0, 1});
#else
    attune::kernel<float(std::span<float>)>{"k", attune::source_text("", "k.cpp"), all}
        .tolerate_result({0, 1});
#endif
}
