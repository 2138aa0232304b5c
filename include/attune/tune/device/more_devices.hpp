// attune/tune/device/more_devices.hpp - which devices may measure for the compiler's own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

namespace attune::inline ATTUNE_ABI {

/// Whether code for a device runs in this process, and not in a worker.
[[nodiscard]] constexpr bool runs_in_process(isolation how) noexcept
{
    return how == isolation::guard || how == isolation::none;
}

/// Looks at tuning_options::devices; of none, and where nothing runs, there is nothing to say.
/// @pre     the compiler's target, if it has one, can run
/// Errors   attune::error: code for this processor, variants that run in this process, a device
/// that
///          is the compiler's own, named twice, not there, or another one by its limits
void require_usable_devices(tuning_problem const& problem, tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/more_devices.ipp>
#endif
