// expect-error: the second argument is not a compiler
// tests/compile_fail/not_a_compiler.cpp - tuned needs a compiler.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

struct nothing {};

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned t{k, nothing{}, attune::memory_store{}};
#else
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned t{k, attune::system_compiler{}, attune::memory_store{}};
#endif
}
