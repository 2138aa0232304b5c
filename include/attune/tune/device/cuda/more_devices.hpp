// attune/tune/device/cuda/more_devices.hpp - which devices may measure beside the compiler's own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/options.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether device code runs in this process, and not in a worker.
[[nodiscard]] constexpr bool runs_in_process(isolation how) noexcept
{
    return how == isolation::guard || how == isolation::none;
}

/// Checks tuning_options::device.others; does nothing if that is empty or nothing can run.
/// @param own  the compiler's device
/// Errors   attune::error: variants run in this process, or a device is the compiler's own, is
///          named twice, does not exist, or has other limits
void require_usable_devices(cuda_target const& own, tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/more_devices.ipp>
#endif
