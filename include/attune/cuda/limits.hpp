// attune/cuda/limits.hpp - the limits of a CUDA device.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Counts and bytes of one device.
struct device_limits {
    std::string name;     ///< "NVIDIA H200"; "sm_90" when only the architecture is known
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

namespace detail {

/// The architectures that limits_of_architecture() accepts, ascending: 75, 80, 86, ...
[[nodiscard]] std::vector<int> const& known_architectures();

/// The limits of every device of an architecture; `multiprocessors` is that of the largest such
/// device, memory sizes are 0.
/// Errors   attune::error that lists the accepted architectures
[[nodiscard]] device_limits limits_of_architecture(int architecture);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/limits.ipp>
#endif
