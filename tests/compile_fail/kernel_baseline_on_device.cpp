// expect-error: your own code is timed on this processor only
// tests/compile_fail/kernel_baseline_on_device.cpp - arrays of a device have no own code here.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <span>

inline constexpr auto wide = attune::boolean<"WIDE">();
inline constexpr auto all = attune::space(wide);

int main()
{
#ifdef ATTUNE_EXPECT_FAIL
    attune::kernel<void(attune::device_span<float>)> k{"k", attune::source_text("", "k.cu"), all};
#else
    attune::kernel<void(std::span<float>)> k{"k", attune::source_text("", "k.cpp"), all};
#endif
    k.baseline([](std::span<float>) {});
}
