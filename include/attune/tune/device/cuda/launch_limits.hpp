// attune/tune/device/cuda/launch_limits.hpp - what a device can launch, as constraints of a space.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/limits.hpp>
#include <attune/cuda/occupancy.hpp>
#include <attune/declare/description.hpp>
#include <attune/tune/kernel/code_rules.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds to `bound` the device's conditions on the launch, except those that hold for all parameter
/// values: extents of 1 or more, threads per block, extents of block and grid, dynamic shared
/// memory, clusters, and for a cooperative launch that all blocks and threads are resident at once.
/// Adds threads per block, dynamic shared bytes and blocks as features.
///
/// A compiled variant may still be refused for its resources: see launch_objection().
///
/// @param bound  the kernel's space with the values of its inputs
/// Errors   attune::error: grid or block not declared, or an unsatisfiable condition
void add_launch_limits(description& bound, launch_declaration const& launch,
                       device_limits const& device);

/// The quantities of compiled code that rules and features may read.
/// @param resident  occupancy_of() the code and its launch
[[nodiscard]] code_numbers numbers_of(code_resources const& code, residency const& resident);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/launch_limits.ipp>
#endif
