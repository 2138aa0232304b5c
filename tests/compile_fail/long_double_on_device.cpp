// expect-error: a long double has 16 bytes here and 8 on a device
// tests/compile_fail/long_double_on_device.cpp - a number must be the same on both sides.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    using number = long double;
#else
    using number = double;
#endif
    attune::kernel<void(std::span<float>, number)> const k{"k", attune::source_text("", "k.cu"),
                                                           all};
    attune::tuned const t{k, attune::nvrtc_compiler{}};
}
