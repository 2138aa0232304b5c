// attune/tune/device/cuda/more_devices.hpp - which devices may measure for the compiler's own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/options.hpp>

namespace attune::inline ATTUNE_ABI {

/// Whether code for a device runs in this process, and not in a worker.
[[nodiscard]] constexpr bool runs_in_process(isolation how) noexcept
{
    return how == isolation::guard || how == isolation::none;
}

/// Looks at tuning_options::device.others; of none, and where nothing runs, there is nothing to
/// say.
/// @param own  the compiler's
/// Errors   attune::error: variants that run in this process, a device that is the compiler's own,
///          named twice, not there, or another one by its limits
void require_usable_devices(cuda_target const& own, tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/more_devices.ipp>
#endif
