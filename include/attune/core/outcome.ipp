// attune/core/outcome.ipp - a number as an outcome.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <limits>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE outcome outcome_of(double value)
{
    constexpr double largest = std::numeric_limits<double>::max();
    if (value >= -largest && value <= largest) return measurement::exact(value);
    return failure{failure_stage::verify, "the value is not finite"};
}

} // namespace attune::inline ATTUNE_ABI
