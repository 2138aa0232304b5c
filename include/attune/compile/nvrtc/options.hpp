// attune/compile/nvrtc/options.hpp - what nvrtc_compiler is told, and what it tells of headers.
// SPDX-License-Identifier: MIT
// tested by compile/nvrtc.cpp
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// How nvrtc_compiler compiles.
struct nvrtc_options {
    std::vector<std::string> flags{"--std=c++20"};
    int device = -1;                ///< ordinal; -1: that of the calling thread's context, else 0
    int architecture = 0;           ///< 90: without a device, compile for sm_90; 0: the device's
    bool precompile_headers = true; ///< parse the kernel's leading #include block once; since 12.8
    std::string library{};          ///< path of libnvrtc; empty: see nvrtc::open_library
    std::string driver{};           ///< path of libcuda; empty: see cuda::open_driver
    double limit_s = 60.0;          ///< wall seconds for one variant; kept since NVRTC 12.9
    cache_options cache{};          ///< where compiled code is kept between runs
};

/// What became of the leading #include blocks, in this process.
struct header_statistics {
    std::uint64_t created{}; ///< compilations that parsed a block and kept it
    std::uint64_t reused{};  ///< compilations that found it parsed
    std::uint64_t failed{};  ///< blocks that NVRTC could not keep; they are parsed every time
};

} // namespace attune::inline ATTUNE_ABI
