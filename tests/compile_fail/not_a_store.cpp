// expect-error: the third argument is not a store
// tests/compile_fail/not_a_store.cpp - tuned needs a store.
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
    attune::tuned t{k, attune::system_compiler{}, nothing{}};
#else
    attune::kernel<void(std::span<float>)> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned t{k, attune::system_compiler{}, attune::memory_store{}};
#endif
}
