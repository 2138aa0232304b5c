// attune/declare/kind/scale.hpp - a real parameter as a share of its interval.
// SPDX-License-Identifier: MIT
//
// tested by space/query/steps.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI::detail {

/// Position of a value on the scale of a real parameter: 0 at `low`, 1 at `high`.
[[nodiscard]] inline double scale_position(parameter_description const& parameter, double value)
{
    if (parameter.low == parameter.high) return 0;
    if (parameter.on == scale::log)
        return std::log(value / parameter.low) / std::log(parameter.high / parameter.low);
    return (value - parameter.low) / (parameter.high - parameter.low);
}

/// The inverse of scale_position; always inside the interval.
[[nodiscard]] inline double scale_value(parameter_description const& parameter, double position)
{
    double const value = parameter.on == scale::log
                             ? parameter.low * std::pow(parameter.high / parameter.low, position)
                             : parameter.low + (parameter.high - parameter.low) * position;
    return std::clamp(value, parameter.low, parameter.high);
}

} // namespace attune::inline ATTUNE_ABI::detail
