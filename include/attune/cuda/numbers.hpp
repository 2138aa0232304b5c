// attune/cuda/numbers.hpp - names for the attributes and flags of the driver API.
// SPDX-License-Identifier: MIT
// Source   cuda.h of CUDA 13.0; these numbers are part of the driver's ABI and do not change
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// CUdevice_attribute.
namespace of_device {
enum : int {
    threads_per_block = 1,
    block_x = 2,
    block_y = 3,
    block_z = 4,
    grid_x = 5,
    grid_y = 6,
    grid_z = 7,
    shared_bytes_per_block = 8,
    warp_threads = 10,
    registers_per_block = 12,
    multiprocessors = 16,
    l2_bytes = 38,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    shared_bytes_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    can_cooperate = 95,
    shared_bytes_opt_in = 97,
    blocks_per_multiprocessor = 106,
    shared_bytes_reserved = 111,
    can_form_clusters = 120,
    is_shared_by_mps = 133, ///< contexts made on this device use MPS; older drivers lack it
};
} // namespace of_device

/// CUfunction_attribute.
namespace of_function {
enum : int {
    dynamic_shared_bytes = 8, ///< must be set before a launch with more than 48 KB
};
} // namespace of_function

/// CUpointer_attribute, and CUmemorytype.
namespace of_pointer {
enum : int {
    memory_type = 2,
    is_managed = 8,
    device_ordinal = 9,
    is_legacy_ipc_capable = 10, ///< true of memory from cuMemAlloc
};
enum : int { host_memory = 1, device_memory = 2 }; ///< values of memory_type
} // namespace of_pointer

/// CUlaunchAttributeID.
namespace of_launch {
enum : int { cooperative = 2, cluster = 4 };
} // namespace of_launch

/// Flags and modes, by the function that takes them.
namespace flag {
enum : unsigned {
    stream_non_blocking = 1,
    ipc_enable_peer_access = 1, ///< the only value that cuIpcOpenMemHandle takes
};
enum : int { capture_this_thread = 1, capture_relaxed = 2 };
} // namespace flag

} // namespace attune::inline ATTUNE_ABI::detail::cuda
