// attune/core/problem_objective.hpp - what the numbers of a problem mean: unit, direction, text.
// SPDX-License-Identifier: MIT
// tested by remember/problem/matching.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <variant>

namespace attune::inline ATTUNE_ABI {

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
