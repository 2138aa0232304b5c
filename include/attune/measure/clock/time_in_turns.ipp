// attune/measure/clock/time_in_turns.ipp - rounds with the clocks of this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/time_in_turns.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE round_times time_in_turns(std::function<void()> const& prepare,
                                        std::span<std::function<void()> const> runs,
                                        time_in_turns_options const& options)
{
    system_clocks clocks;
    std::function<void()> const ready = prepare ? prepare : [] {};
    return detail::time_in_turns_with(clocks, options, ready, runs);
}

} // namespace attune::inline ATTUNE_ABI
