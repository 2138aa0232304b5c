// attune/core/goal.hpp - the better direction of a value, and the measured call behind the value.
// SPDX-License-Identifier: MIT
// tested by tune/objective.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// The better direction of a value.
enum class goal : std::uint8_t { lowest, highest };

/// A call of a variant, for the function of kernel.objective(unit, goal, f).
struct measured_call {
    double seconds = 0; ///< of one call, > 0
};

/// A measured_call with energy, for a function f with this parameter type.
struct metered_call {
    double seconds = 0; ///< of one call, > 0
    double joules = 0;  ///< of one call, > 0: see joules_per_call()
};

} // namespace attune::inline ATTUNE_ABI
