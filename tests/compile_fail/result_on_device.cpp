// expect-error: on a device a kernel returns void
// tests/compile_fail/result_on_device.cpp - nobody waits there for what a kernel returns.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    using result = float;
#else
    using result = void;
#endif
    attune::kernel<result(std::span<float>)> const k{"k", attune::source_text("", "k.cu"), all};
    attune::tuned const t{k, attune::nvrtc_compiler{}};
}
