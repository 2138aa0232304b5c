// attune/tune/device/cuda/device_call.hpp - one call of a kernel as a device's bench takes it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/tune/kernel/call_frame.hpp>

namespace attune::inline ATTUNE_ABI {

/// The call as measure sees it. Refers to the caller's memory.
[[nodiscard]] device_call make_device_call(cuda_target const& target, call_frame const& frame);

/// Looks whether every array of a device is in the memory of the target, as long as it says.
/// @pre     target.can_run()
/// Errors   attune::error naming the argument: no memory of a device, of another device, shorter
void require_on_device(cuda_target const& target, call_frame const& frame);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/device_call.ipp>
#endif
