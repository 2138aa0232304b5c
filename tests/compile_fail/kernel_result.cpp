// expect-error: a kernel returns void or plain data by value
// tests/compile_fail/kernel_result.cpp - an array is written to a span.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<std::span<float>(std::span<float>)> const k{
        "k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<float(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
#endif
}
