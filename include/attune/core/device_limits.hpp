// attune/core/device_limits.hpp - the limits of a CUDA device.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, technical specifications per compute capability
// tested by cuda/limits.cpp
//
// A compiler for a device knows those of its target: compiler.target().limits.
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Counts and bytes of one device.
struct device_limits {
    std::string name{};   ///< "NVIDIA H200"; "sm_90" when only the architecture is known
    int architecture = 0; ///< 90: compute capability 9.0
    std::int64_t multiprocessors = 1;
    std::int64_t warp_threads = 32;

    std::int64_t threads_per_block = 1024;
    std::array<std::int64_t, 3> block{1024, 1024, 64};
    std::array<std::int64_t, 3> grid{2147483647, 65535, 65535};
    std::int64_t blocks_per_cluster = 1; ///< 1: the device has no clusters
    bool can_cooperate = true;           ///< supports cooperative launches

    std::int64_t shared_bytes_per_block = 48 * 1024; ///< without cuFuncSetAttribute
    std::int64_t shared_bytes_opt_in = 48 * 1024;    ///< static + dynamic, by cuFuncSetAttribute
    std::int64_t shared_bytes_per_multiprocessor = 64 * 1024;
    std::int64_t shared_bytes_reserved = 0; ///< of each block, for the system

    std::int64_t registers_per_thread = 255;
    std::int64_t registers_per_block = 65536;
    std::int64_t registers_per_multiprocessor = 65536;
    std::int64_t threads_per_multiprocessor = 1024;
    std::int64_t blocks_per_multiprocessor = 16;

    std::int64_t l2_bytes = 0;
    std::int64_t global_bytes = 0;

    friend bool operator==(device_limits const&, device_limits const&) = default;
};

} // namespace attune::inline ATTUNE_ABI
