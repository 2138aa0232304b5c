// tests/package/worker_door.cpp - a program that tunes: with ATTUNE_TEST_DEVICE for a device, without it for the processor alone. worker_door.cmake looks into what the linker made of it.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>

#include <span>
#include <vector>

inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2));
inline constexpr auto space = attune::space(unroll);

int main(int count, char**)
{
    std::vector<float> y(8);
    attune::kernel<void(std::span<float>)> const kernel{
        "scale", attune::source_file("scale.kernel.cpp"), space};
#ifdef ATTUNE_TEST_DEVICE
    attune::tuned scale{kernel, attune::nvrtc_compiler{}};
#else
    attune::tuned scale{kernel, attune::system_compiler{}};
#endif
    if (count > 1) scale(y);
}
