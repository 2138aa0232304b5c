// expect-error: has pointers inside
// tests/compile_fail/structure_with_pointers.cpp - nobody would restore what they point to.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

struct chain {
    int n;
    float* next;
};
template <>
struct attune::kernel_type<chain> {
    static constexpr auto name = "chain";
};

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(std::span<chain>)> const k{"k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<void(std::span<int>, std::span<float* const>)> const k{
        "k", attune::source_text("", "k.cpp"), all};
#endif
}
