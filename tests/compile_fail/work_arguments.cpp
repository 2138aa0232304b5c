// expect-error: attune: kernel\.work\(f\): f must take the kernel's arguments
// tests/compile_fail/work_arguments.cpp - work is stated of the arguments of the call.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
    attune::kernel<void(std::span<float>, int)> k{"k", attune::source_text("", "k.cpp"), all};
#ifdef ATTUNE_EXPECT_FAIL
    k.work([](std::span<float>) { return attune::work{1, 1}; });
#else
    k.work([](std::span<float>, int) { return attune::work{1, 1}; });
#endif
}
