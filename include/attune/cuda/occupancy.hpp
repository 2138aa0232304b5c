// attune/cuda/occupancy.hpp - how many blocks of a kernel fit on a multiprocessor.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ best practices guide, occupancy; the allocation units of the occupancy
//          calculator
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/limits.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// How many blocks fit, and what limits their number.
struct residency {
    std::int64_t blocks = 0;     ///< resident on one multiprocessor; 0: no launch is possible
    double fraction = 0;         ///< resident warps over the device's maximum
    char const* limited_by = ""; ///< "threads", "blocks", "registers" or "shared memory"
};

[[nodiscard]] residency occupancy_of(device_limits const& device, code_resources const& code,
                                     launch_geometry const& launch);

/// Why the device cannot launch this code with this geometry: "the block has 2048 threads, the
/// device allows 1024"; empty when it can.
[[nodiscard]] std::string launch_objection(device_limits const& device, code_resources const& code,
                                           launch_geometry const& launch);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/occupancy.ipp>
#endif
