// attune/measure/energy.hpp - lets a program bound the energy of its kernels.
// SPDX-License-Identifier: MIT
//
// For kernel.bound_energy() and joules_per_call(). The program links attune::energy.
// tested by tune/bound_energy.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/energy/joules_per_call.hpp>

#ifndef ATTUNE_OFF

namespace attune::inline ATTUNE_ABI::detail {

/// Runs before static objects are made, because they may be kernels.
[[gnu::constructor(102), gnu::used]] static void measure_energy_from_the_start() noexcept
{
    measure_energy();
}

} // namespace attune::inline ATTUNE_ABI::detail

#endif // ATTUNE_OFF
