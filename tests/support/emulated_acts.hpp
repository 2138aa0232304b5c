// tests/support/emulated_acts.hpp - kernels for tests of the emulated device: any text, and one that does right or wrong, as asked.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/cuda/driver.hpp>

#include <string>
#include <vector>

#include "emulated_compiler.hpp"
#include "emulated_device.hpp"

namespace attune_test {

/// Of tests that need no device of their own kind.
[[nodiscard]] inline emulated_compiler const& compiler()
{
    static emulated_compiler const the({.driver = ATTUNE_EMULATED_CUDA});
    return the;
}

/// The code of a kernel given as text.
[[nodiscard]] inline attune::callable compiled(std::string const& text, std::string const& function,
                                               std::vector<std::string> arguments,
                                               attune::launch_geometry const& launch)
{
    attune::compile_request v{function, "void", std::move(arguments), {}};
    v.launch = launch;
    return device_code_of(compiler().compile(attune::source_text(text, "test.kernel.cu"), v));
}

/// One kernel that does what MODE says.
inline constexpr char const* act_text =
    "extern \"C\" __global__ void act(int* x, int n)\n"
    "{\n"
    "    int const i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "#if MODE == 0\n"
    "    if (i < n) x[i] += 1;\n"
    "#elif MODE == 1\n"
    "    reinterpret_cast<int*>(64)[i] = n;\n"
    "#elif MODE == 2\n"
    "    if (i == 5) __trap();\n"
    "#elif MODE == 3\n"
    "    assert(n < 0);\n"
    "#elif MODE == 6\n"
    "    reinterpret_cast<float4*>(x + 1)[i] = float4{1, 2, 3, 4};\n"
    "#elif MODE == 7\n"
    "    x[n] = 1;\n"
    "#endif\n"
    "}\n";

inline attune::detail::cuda::result launch_act(emulated_device& device, int mode,
                                               attune::detail::cuda::device_pointer x, int n = 64)
{
    attune::compile_request v{"act", "void", {"int*", "int"}, {{"MODE", std::to_string(mode)}}};
    v.launch.block = {64, 1, 1};
    return device.launch(attune::device_variant_of(device_code_of(compiler().compile(
                             attune::source_text(act_text, "act.kernel.cu"), v))),
                         x, n);
}

} // namespace attune_test
