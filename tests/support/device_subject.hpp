// tests/support/device_subject.hpp - a kernel for a device that shows what became of its macro.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>

#include <string>
#include <utility>

namespace attune_test {

/// The laws cannot call a kernel here; they see FACTOR by the shared memory that it takes.
struct device_subject {
    static attune::kernel_source source()
    {
        return attune::source_text("extern \"C\" __global__ void scaled_sum(double* x, int n)\n"
                                   "{\n"
                                   "    __shared__ double pool[FACTOR];\n"
                                   "    pool[(n * 7) % FACTOR] = x[n];\n"
                                   "    __syncthreads();\n"
                                   "    x[0] = pool[n % FACTOR];\n"
                                   "}\n",
                                   "scaled_sum.kernel.cpp");
    }
    static attune::compile_request variant(std::string factor)
    {
        attune::compile_request v = attune::variant_of<void(double*, int)>("scaled_sum");
        v.macros = {{"FACTOR", std::move(factor)}};
        return v;
    }
    static double observed(attune::callable const& code)
    {
        auto const bytes = attune::device_variant_of(code).code.resources.static_shared_bytes;
        return static_cast<double>(bytes) / sizeof(double) * 6;
    }
};

} // namespace attune_test
