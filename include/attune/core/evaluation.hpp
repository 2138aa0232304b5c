// attune/core/evaluation.hpp - the result of one evaluation: outcome, further quantities, bounds; what the numbers of a problem mean.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A number that an evaluation measured beside its value: an error, bytes, joules.
struct quantity {
    std::string name;
    double value = 0;

    [[nodiscard]] friend bool operator==(quantity const&, quantity const&) = default;
};

/// The outcome of one configuration, with the quantities measured beside its value.
/// Example  return attune::evaluation{seconds, {{"error", error}, {"bytes", bytes}}};
struct evaluation {
    evaluation(double value, std::vector<quantity> measured = {}) // NOLINT: a number is one
        : result(outcome_of(value))
        , quantities(std::move(measured))
    {
    }
    evaluation(outcome of, std::vector<quantity> measured = {}) // NOLINT: an outcome is one
        : result(std::move(of))
        , quantities(std::move(measured))
    {
    }
    evaluation(measurement of, std::vector<quantity> measured = {}) // NOLINT
        : result(of)
        , quantities(std::move(measured))
    {
    }
    evaluation(failure why) // NOLINT: a failure is one
        : result(std::move(why))
    {
    }

    outcome result;
    std::vector<quantity> quantities;
};

/// A bound on a quantity. A configuration that breaks it is never the best.
struct quantity_bound {
    std::string name;
    double limit = 0;
    bool is_most =
        true; ///< true: the quantity may be at most `limit`; false: it must be at least `limit`

    [[nodiscard]] friend bool operator==(quantity_bound const&, quantity_bound const&) = default;
};

/// Example  options.bounds = {attune::at_most("error", 1e-3), attune::at_least("accuracy", 0.9)};
[[nodiscard]] inline quantity_bound at_most(std::string name, double limit)
{
    return {std::move(name), limit, true};
}
[[nodiscard]] inline quantity_bound at_least(std::string name, double limit)
{
    return {std::move(name), limit, false};
}

namespace detail {

/// Returns true if a quantity of this value keeps the bound; false for NaN.
[[nodiscard]] constexpr bool keeps_bound(quantity_bound const& bound, double value) noexcept
{
    return bound.is_most ? value <= bound.limit : value >= bound.limit;
}

/// Distance from the bound to a quantity, on the scale of models: <= 0 if the quantity keeps the
/// bound, else > 0. The scale is asinh(500 v / |limit|), or asinh(v) for a limit of 0: logarithmic
/// above a hundredth of the limit, and defined below 0. Infinite values give +-40.
/// @return  NaN for NaN
[[nodiscard]] double excess_over(quantity_bound const& bound, double value);

/// Inverse of excess_over(), except for rounding. @pre |excess| < 40
[[nodiscard]] double value_at_excess(quantity_bound const& bound, double excess);

/// The value of each bound's quantity, in the order of the bounds. A failure without the quantity
/// gives NaN.
/// Errors  attune::error: a measurement without a quantity that a bound names
[[nodiscard]] std::vector<double> bounded_numbers(std::vector<quantity_bound> const& bounds,
                                                  evaluation const& seen);

/// excess_over() for each bound. @pre as many numbers as bounds
[[nodiscard]] std::vector<double> excesses(std::vector<quantity_bound> const& bounds,
                                           std::vector<double> const& numbers);

/// Returns `result`. If a measurement breaks bounds, returns a failure that names all broken
/// bounds.
/// @pre as many numbers as bounds
[[nodiscard]] outcome within_bounds(std::vector<quantity_bound> const& bounds,
                                    std::vector<double> const& numbers, outcome const& result);

/// "error <= 0.001 and accuracy >= 0.9"
[[nodiscard]] std::string bounds_text(std::vector<quantity_bound> const& bounds);
/// bounds_text() with all digits: equal texts mean equal limits.
[[nodiscard]] std::string bounds_key(std::vector<quantity_bound> const& bounds);
/// "error 0.0042, accuracy 0.8"  @pre as many numbers as bounds
[[nodiscard]] std::string bounded_text(std::vector<quantity_bound> const& bounds,
                                       std::vector<double> const& numbers);

/// Errors  attune::error: a bound without a name, or whose limit is not finite
void require_bounds(std::vector<quantity_bound> const& bounds);

} // namespace detail

/// Meaning, unit and direction of the numbers of a problem.
struct problem_objective {
    bool is_seconds = true;
    std::string unit{}; ///< if the user named a unit: "GFLOP/s"
    bool is_higher_better = false;

    /// Returns true if `a` is better than `b`.
    [[nodiscard]] bool is_better(double a, double b) const
    {
        return is_higher_better ? a > b : a < b;
    }
    /// Factor by which `best` is better than `other`; 0 if one of them is not above 0.
    [[nodiscard]] double gain(double best, double other) const
    {
        if (!(best > 0 && other > 0)) return 0;
        return is_higher_better ? best / other : other / best;
    }
    /// The noun for such a number.
    [[nodiscard]] std::string word() const { return is_seconds ? "time" : "value"; }
    /// The adjective for a better number.
    [[nodiscard]] std::string better() const { return is_seconds ? "faster" : "better"; }
    /// "1.25 ms", "31.5 GFLOP/s", "31.5".
    [[nodiscard]] std::string text(double value) const
    {
        if (is_seconds) return text_of_quantity(value, true);
        return detail::formatted("%.6g", value) + (unit.empty() ? "" : " " + unit);
    }

    /// The number that the search of a kernel minimises: the value itself, or its reciprocal if
    /// higher values are better. Searches take the logarithm, and the reciprocal changes only the
    /// sign of a logarithm. The function is its own inverse. 0, an unknown value, stays 0.
    [[nodiscard]] double turned(double value) const
    {
        return is_higher_better && value != 0 ? 1 / value : value;
    }
    [[nodiscard]] measurement turned(measurement const& of) const
    {
        if (!is_higher_better) return of;
        return {turned(of.value), turned(of.high), turned(of.low), of.samples};
    }
    [[nodiscard]] outcome turned(outcome of) const
    {
        if (auto* const m = std::get_if<measurement>(&of)) *m = turned(*m);
        return of;
    }

    [[nodiscard]] friend bool operator==(problem_objective const&,
                                         problem_objective const&) = default;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/evaluation.ipp>
#endif
