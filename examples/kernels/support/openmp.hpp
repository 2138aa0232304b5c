// examples/kernels/support/openmp.hpp - kernels whose loops are shared out among threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>

#include <string>
#include <utility>
#include <variant>

namespace kernels {

/// Whether code with OpenMP can be compiled and loaded here; asked once, of the compiler itself.
[[nodiscard]] inline bool has_openmp()
{
    static bool const answer = [] {
        attune::kernel_source probe = attune::source_text("int threads()\n{\n    int n = 0;\n"
                                                          "#pragma omp parallel reduction(+ : n)\n"
                                                          "    n += 1;\n    return n;\n}\n",
                                                          "threads.cpp");
        probe.flags = {"-fopenmp"};
        attune::compile_request const wanted = attune::variant_of<int()>("threads");
        return std::holds_alternative<attune::callable>(
            attune::clang_compiler{}.compile(probe, wanted));
    }();
    return answer;
}

/// The kernel with OpenMP where there is one. Without it a kernel's `#pragma omp` mean nothing: one
/// thread does all the work, and parameters that only they use make no difference.
[[nodiscard]] inline attune::kernel_source with_openmp(attune::kernel_source source)
{
    if (has_openmp()) source.flags.emplace_back("-fopenmp");
    return source;
}

} // namespace kernels
