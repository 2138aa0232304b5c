// expect-error: of a structure that no attune::kernel_type
// tests/compile_fail/structure_without_name.cpp - the kernel file has a name for it.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

struct particle {
    float x;
    float mass;
};
struct charge {
    float e;
};
template <>
struct attune::kernel_type<charge> {
    static constexpr auto name = "charge";
};

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(std::span<particle>)> const k{"k", attune::source_text("", "k.cpp"), all};
#else
    attune::kernel<void(std::span<charge>)> const k{"k", attune::source_text("", "k.cpp"), all};
#endif
}
