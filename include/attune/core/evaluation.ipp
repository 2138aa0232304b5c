// attune/core/evaluation.ipp - compares measured quantities with their bounds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// Unit of the scale that models use for a quantity.
[[nodiscard]] inline double unit_of(quantity_bound const& bound)
{
    return bound.limit == 0 ? 1 : std::abs(bound.limit) / 500;
}

ATTUNE_INLINE double excess_over(quantity_bound const& bound, double value)
{
    if (std::isnan(value)) return value;
    constexpr double most = 40; // asinh(500 r) exceeds it for ratios above 2e14
    double const unit = unit_of(bound);
    double beyond = std::asinh(value / unit) - std::asinh(bound.limit / unit);
    if (!bound.is_most) beyond = -beyond;
    beyond = std::clamp(beyond, -most, most);
    // Rounding must not move a value to the other side of the bound.
    constexpr double least = std::numeric_limits<double>::min();
    return keeps_bound(bound, value) ? std::min(beyond, 0.0) : std::max(beyond, least);
}

ATTUNE_INLINE double value_at_excess(quantity_bound const& bound, double excess)
{
    double const unit = unit_of(bound);
    return unit * std::sinh(std::asinh(bound.limit / unit) + (bound.is_most ? excess : -excess));
}

ATTUNE_INLINE std::vector<double> bounded_numbers(std::vector<quantity_bound> const& bounds,
                                                  evaluation const& seen)
{
    std::vector<double> out;
    for (quantity_bound const& bound : bounds) {
        auto const found = std::find_if(seen.quantities.begin(), seen.quantities.end(),
                                        [&](quantity const& q) { return q.name == bound.name; });
        bool const is_there = found != seen.quantities.end();
        auto const* const m = std::get_if<measurement>(&seen.result);
        if (!is_there && m != nullptr && std::isfinite(m->value))
            throw error("an evaluation has no quantity '" + bound.name + "', which has a bound",
                        bounds_text(bounds),
                        "return attune::evaluation{value, {{\"" + bound.name +
                            "\", number}}}; NaN where it cannot be measured");
        // Logs can hold the largest number, but not infinity.
        constexpr double most = std::numeric_limits<double>::max();
        out.push_back(!is_there                  ? std::numeric_limits<double>::quiet_NaN()
                      : std::isinf(found->value) ? std::copysign(most, found->value)
                                                 : found->value);
    }
    return out;
}

ATTUNE_INLINE std::vector<double> excesses(std::vector<quantity_bound> const& bounds,
                                           std::vector<double> const& numbers)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < bounds.size(); ++i)
        out.push_back(excess_over(bounds[i], numbers[i]));
    return out;
}

[[nodiscard]] inline std::string number_or_nan(double value)
{
    return std::isnan(value) ? "NaN" : formatted("%.6g", value);
}

ATTUNE_INLINE outcome within_bounds(std::vector<quantity_bound> const& bounds,
                                    std::vector<double> const& numbers, outcome const& result)
{
    if (!succeeded(result)) return result;
    std::string broken;
    for (std::size_t i = 0; i < bounds.size(); ++i)
        if (!keeps_bound(bounds[i], numbers[i]))
            broken += (broken.empty() ? "" : "; ") + bounds[i].name + " is " +
                      number_or_nan(numbers[i]) + ", its bound " +
                      (bounds[i].is_most ? "at most " : "at least ") +
                      number_or_nan(bounds[i].limit);
    if (broken.empty()) return result;
    return failure{failure_stage::bound, broken};
}

ATTUNE_INLINE std::string bounds_text(std::vector<quantity_bound> const& bounds)
{
    std::string out;
    for (quantity_bound const& bound : bounds)
        out += (out.empty() ? "" : " and ") + bound.name + (bound.is_most ? " <= " : " >= ") +
               number_or_nan(bound.limit);
    return out;
}

ATTUNE_INLINE std::string bounds_key(std::vector<quantity_bound> const& bounds)
{
    std::string out;
    for (quantity_bound const& bound : bounds)
        out += (out.empty() ? "" : " and ") + bound.name + (bound.is_most ? " <= " : " >= ") +
               formatted("%.17g", bound.limit);
    return out;
}

ATTUNE_INLINE std::string bounded_text(std::vector<quantity_bound> const& bounds,
                                       std::vector<double> const& numbers)
{
    std::string out;
    for (std::size_t i = 0; i < bounds.size(); ++i)
        out += (out.empty() ? "" : ", ") + bounds[i].name + ' ' + number_or_nan(numbers[i]);
    return out;
}

ATTUNE_INLINE void require_bounds(std::vector<quantity_bound> const& bounds)
{
    for (quantity_bound const& bound : bounds) {
        if (bound.name.empty())
            throw error("a bound names no quantity", bounds_text(bounds), "give it a name");
        if (!std::isfinite(bound.limit))
            throw error("the limit of a bound is not a finite number", bounds_text(bounds),
                        "give a number, or leave the bound out");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
