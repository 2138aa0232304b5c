// attune/cuda/occupancy.hpp - the limits of each architecture, and the blocks of a kernel that fit on a multiprocessor.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ best practices guide, occupancy; the allocation units of the occupancy
//          calculator
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Returns the architectures that limits_of_architecture() accepts, ascending: 75, 80, 86, ...
[[nodiscard]] std::vector<int> const& known_architectures();

/// Returns the limits of all devices of an architecture. `multiprocessors` is the number of the
/// largest such device; memory sizes are 0.
/// Errors   attune::error that lists the accepted architectures
[[nodiscard]] device_limits limits_of_architecture(int architecture);

/// The blocks that fit on a multiprocessor.
struct residency {
    std::int64_t blocks = 0; ///< number of resident blocks; 0: no launch is possible
    double fraction = 0;     ///< resident warps divided by the device's maximum
};

[[nodiscard]] residency occupancy_of(device_limits const& device, code_resources const& code,
                                     launch_geometry const& launch);

/// Returns why the device cannot launch this code with this geometry: "the block has 2048 threads,
/// the device allows 1024". Empty: it can.
[[nodiscard]] std::string launch_objection(device_limits const& device, code_resources const& code,
                                           launch_geometry const& launch);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/occupancy.ipp>
#endif
