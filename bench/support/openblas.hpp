// bench/support/openblas.hpp - OpenBLAS, if the machine has it: opened at run time, one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <string>

namespace bench {

using cblas_sgemm_function = void (*)(int, int, int, int, int, int, float, float const*, int,
                                      float const*, int, float, float*, int);

/// The core type to ask for: releases older than the processor fall back to one without AVX.
[[nodiscard]] inline char const* openblas_core_type()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (!line.starts_with("flags")) continue;
        if (line.find(" avx512bw") != std::string::npos) return "SkylakeX";
        if (line.find(" avx2") != std::string::npos) return "Haswell";
        return "Prescott";
    }
    return "Prescott";
}

/// cblas_sgemm of OpenBLAS, or null where it is not installed.
[[nodiscard]] inline cblas_sgemm_function openblas_sgemm()
{
    ::setenv("OPENBLAS_CORETYPE", openblas_core_type(), 0);
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    return reinterpret_cast<cblas_sgemm_function>(::dlsym(library, "cblas_sgemm"));
}

} // namespace bench
