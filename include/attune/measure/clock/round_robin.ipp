// attune/measure/clock/round_robin.ipp - rounds with the clocks of this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/round_robin.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE round_times round_robin(std::function<void()> const& prepare,
                                      std::span<std::function<void()> const> runs,
                                      round_robin_options const& options)
{
    system_clocks clocks;
    std::function<void()> const ready = prepare ? prepare : [] {};
    return detail::round_robin_with(clocks, options, ready, runs);
}

} // namespace attune::inline ATTUNE_ABI
