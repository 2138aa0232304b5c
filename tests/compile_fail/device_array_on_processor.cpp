// expect-error: the kernel takes arrays of a device
// tests/compile_fail/device_array_on_processor.cpp - arrays of a device need a compiler for one.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    using array = attune::device_span<float>;
#else
    using array = std::span<float>;
#endif
    attune::kernel<void(array)> const k{"k", attune::source_text("", "k.cpp"), all};
    attune::tuned const t{k, attune::system_compiler{}};
}
