// attune/tune/device/cuda/device_call.hpp - one call of a kernel in the form that a device's bench takes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/tune/kernel/call_frame.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// The call as measure/ takes it. Refers to the caller's memory.
[[nodiscard]] device_call make_device_call(cuda_target const& target, call_frame const& frame);

/// Checks that every device array is in the target's memory and has its stated length there.
/// @pre     target.can_run()
/// Errors   attune::error naming the argument: not device memory, of another device, or too short
void require_on_device(cuda_target const& target, call_frame const& frame);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/device_call.ipp>
#endif
