// attune/measure/clock/duel.ipp - a duel on the clocks of this machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/duel.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE comparison duel(std::function<void()> const& prepare,
                              std::function<void()> const& run_a,
                              std::function<void()> const& run_b,
                              duel_options const& options)
{
    system_clocks clocks;
    std::function<void()> const ready = prepare ? prepare : [] {};
    return duel_with(clocks, options, ready, run_a, run_b);
}

} // namespace attune::inline ATTUNE_ABI
