// attune/compile/nvrtc/options.hpp - options and header statistics of nvrtc_compiler.
// SPDX-License-Identifier: MIT
// tested by compile/nvrtc.cpp
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Options of nvrtc_compiler.
struct nvrtc_options {
    std::vector<std::string> flags{"--std=c++20"};
    int device = -1;      ///< ordinal; -1: that of the calling thread's context, else 0
    int architecture = 0; ///< 90: compile for sm_90 even without a device; 0: the device's
    bool precompile_headers = true; ///< parse the leading #include block once; since NVRTC 12.8
    std::string library{};          ///< path of libnvrtc; empty: see nvrtc::open_library
    std::string driver{};           ///< path of libcuda; empty: see cuda::open_driver
    double limit_s = 60.0;          ///< wall seconds for one variant; enforced since NVRTC 12.9
    cache_options cache{};          ///< where compiled code is kept between runs
    bool keep_ptx = false; ///< device_code::ptx too; such code is neither cached nor found there
};

/// Counts of leading #include blocks, in this process.
struct header_statistics {
    std::uint64_t created{}; ///< compilations that parsed and stored a block
    std::uint64_t reused{};  ///< compilations that reused a parsed block
    std::uint64_t failed{};  ///< blocks that NVRTC could not store; each compilation parses them
};

} // namespace attune::inline ATTUNE_ABI
