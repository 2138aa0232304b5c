// attune/measure/clock/adaptive_timer.ipp - the adaptive loop with the clocks of this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE measurement adaptive_timer::time(std::function<void()> const& prepare,
                                               std::function<void()> const& run) const
{
    system_clocks clocks{options_.background_cpu_s};
    std::function<void()> const ready = prepare ? prepare : [] {};
    return detail::time_adaptively(clocks, options_, ready, run);
}

} // namespace attune::inline ATTUNE_ABI
