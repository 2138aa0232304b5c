// attune/tune/device_call.hpp - one call of a kernel as a device's bench takes it.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a call without its types; the device that it is for
// Out      its arrays with their places, its numbers as bytes; copies of the arrays on the host
// Source   own
// Depends  std only
// Tests    tests/tune/device_call.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/tune/call_frame.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The call as measure sees it. Refers to the caller's memory.
[[nodiscard]] device_call make_device_call(cuda_target const& target, call_frame const& frame);

/// Looks whether every array of a device is in the memory of the target, as long as it says.
/// @pre     target.can_run()
/// Errors   attune::error naming the argument: no memory of a device, of another device, shorter
void require_on_device(cuda_target const& target, call_frame const& frame);

/// What all arrays of the call hold now, in order. Waits for what was launched on the device.
/// Errors   attune::error: the driver's own
[[nodiscard]] std::vector<std::vector<std::byte>> host_copies(cuda_target const& target,
                                                              call_frame const& frame);

} // namespace attune::inline ATTUNE_ABI
