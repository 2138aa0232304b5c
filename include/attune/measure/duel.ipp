// attune/measure/duel.ipp - a duel on the clocks of this machine.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       see duel.hpp
// Out      definitions for one translation unit; needs clocks.ipp in the same target
// Source   own
// Depends  std only
// Tests    tests/measure/duel.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/duel.hpp>

namespace attune::inline ATTUNE_ABI {

comparison duel(std::function<void()> const& prepare,
                std::function<void()> const& run_a,
                std::function<void()> const& run_b,
                duel_options const& options)
{
    system_clocks clocks;
    std::function<void()> const ready = prepare ? prepare : [] {};
    return duel_with(clocks, options, ready, run_a, run_b);
}

} // namespace attune::inline ATTUNE_ABI
