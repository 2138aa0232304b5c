// attune/remember/problem/objective.hpp - what the numbers of a problem are: seconds, or others.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/record.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The compiler in the key of a problem of attune minimize.
inline constexpr char const* minimize_compiler = "attune minimize";

/// Meaning, unit and direction of the numbers of a problem, from the setting of its key.
struct problem_objective {
    bool is_seconds = true;
    std::string unit{}; ///< of other numbers, where the user named it: "GFLOP/s"
    bool is_higher_better = false;

    /// Whether `a` is better than `b`.
    [[nodiscard]] bool is_better(double a, double b) const
    {
        return is_higher_better ? a > b : a < b;
    }
    /// How many times better `best` is than `other`; 0: one of them is not above 0.
    [[nodiscard]] double gain(double best, double other) const
    {
        if (!(best > 0 && other > 0)) return 0;
        return is_higher_better ? best / other : other / best;
    }
    /// The noun for such a number in texts.
    [[nodiscard]] std::string word() const { return is_seconds ? "time" : "value"; }
    /// "1.25 ms", "31.5 GFLOP/s", "31.5".
    [[nodiscard]] std::string text(double value) const
    {
        if (is_seconds) return text_of_quantity(value, true);
        return formatted("%.6g", value) + (unit.empty() ? "" : " " + unit);
    }
};

[[nodiscard]] inline problem_objective objective_of(record_key const& key)
{
    auto const said = [&](char const* name) {
        std::string const* const text = value_of(key.setting, name);
        return text != nullptr ? *text : std::string();
    };
    problem_objective out;
    out.unit = said("unit");
    out.is_seconds =
        key.compiler != minimize_compiler || (said("measured") == "wall time" && out.unit.empty());
    out.is_higher_better = said("better") == "higher";
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
