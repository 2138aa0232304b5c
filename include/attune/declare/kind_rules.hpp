// attune/declare/kind_rules.hpp - the functions of each kind of parameter: one table for all stages.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1: for permutations Spearman, Kendall, Hamming or none (naive), each divided
//          by its largest value in the domain. BaCO calls the first three semimetrics. Here the
//          distance is their square root: a metric that embeds in Euclidean space, so that eq. (1)
//          and (2) always give a positive semidefinite matrix. The distance of tiles is own.
//
// A new kind needs an enumerator and its traits (kinds.hpp), its functions and a row of the table
// (kind_rules.ipp), and its text form in space/files/. Properties of a kind that need no function
// are its kind_traits.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns attune's spelling of a value that another program wrote: "True" gives "true", "1.0" and
/// "1e0" give "1", "[1, 2]" and "(1, 2)" give "{1, 2}". Other texts stay, also "12.10": a release.
[[nodiscard]] std::string usual_spelling(std::string_view text);

inline double ratio_or_zero(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Distance in [0, 1] between two orders of the same n items. The distance is 1 for reversed orders
/// (Spearman, Kendall), orders without an item at the same place (Hamming), different orders
/// (naive).
/// @param a, b  a[i] is the item at place i; each of 0 .. n - 1 once
/// Source  BaCO Sec. 4.1: d_s = sum of (place in a - place in b)^2, at most (n^3 - n) / 3;
///         d_k = discordant pairs, at most n (n - 1) / 2; d_h = differing places, at most n. The
///         result is the square root of d / its maximum. Sec. 5.3: naive, 0 or 1.
[[nodiscard]] inline double permutation_distance(std::span<std::int64_t const> a,
                                                 std::span<std::int64_t const> b,
                                                 order_distance how = order_distance::spearman)
{
    ATTUNE_ASSERT(a.size() == b.size(), "two orders must be of the same items");
    std::size_t const n = a.size();
    if (n < 2) return 0;
    if (how == order_distance::naive) return std::equal(a.begin(), a.end(), b.begin()) ? 0 : 1;
    std::vector<std::int64_t> place_a(n);
    std::vector<std::int64_t> place_b(n);
    for (std::size_t i = 0; i < n; ++i) {
        place_a[static_cast<std::size_t>(a[i])] = static_cast<std::int64_t>(i);
        place_b[static_cast<std::size_t>(b[i])] = static_cast<std::int64_t>(i);
    }
    double sum = 0;
    double const count = static_cast<double>(n);
    double largest = count;
    switch (how) {
    case order_distance::spearman:
        for (std::size_t i = 0; i < n; ++i) {
            double const moved = static_cast<double>(place_a[i] - place_b[i]);
            sum += moved * moved;
        }
        largest = (count * count * count - count) / 3;
        break;
    case order_distance::kendall:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                sum += (place_a[i] < place_a[j]) != (place_b[i] < place_b[j]) ? 1 : 0;
        largest = count * (count - 1) / 2;
        break;
    case order_distance::hamming:
        for (std::size_t i = 0; i < n; ++i)
            sum += a[i] != b[i] ? 1 : 0;
        break;
    case order_distance::naive:
        break; // returned above
    }
    return std::sqrt(sum / largest);
}

/// Distance in [0, 1] between two ordered products that are one extent. It is the Euclidean norm of
/// the logarithms of the ratios of factors, over its maximum sqrt(2) log(extent).
[[nodiscard]] inline double tile_distance(std::span<std::int64_t const> a,
                                          std::span<std::int64_t const> b)
{
    ATTUNE_ASSERT(a.size() == b.size(), "two tiles must have the same number of factors");
    double sum = 0;
    double extent = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const log_a = std::log(static_cast<double>(a[i]));
        double const ratio = log_a - std::log(static_cast<double>(b[i]));
        sum += ratio * ratio;
        extent *= static_cast<double>(a[i]);
    }
    return std::min(1.0, ratio_or_zero(std::sqrt(sum), std::numbers::sqrt2 * std::log(extent)));
}

/// Position of a value on the scale of a real parameter: 0 at `low`, 1 at `high`.
[[nodiscard]] inline double scale_position(parameter_description const& parameter, double value)
{
    if (parameter.low == parameter.high) return 0;
    if (parameter.on == scale::log)
        return std::log(value / parameter.low) / std::log(parameter.high / parameter.low);
    return (value - parameter.low) / (parameter.high - parameter.low);
}

/// The inverse of scale_position; always in the interval.
[[nodiscard]] inline double scale_value(parameter_description const& parameter, double position)
{
    double const value = parameter.on == scale::log
                             ? parameter.low * std::pow(parameter.high / parameter.low, position)
                             : parameter.low + (parameter.high - parameter.low) * position;
    return std::clamp(value, parameter.low, parameter.high);
}

/// Length of one step of a real parameter, as a share of its scale.
inline constexpr double real_step = 0.05;

/// Refers to a function that receives a step and returns true if it takes the step.
struct step_taker {
    void* self = nullptr;
    bool (*take)(void* self, coordinate step) = nullptr;

    bool operator()(coordinate step) const { return take(self, step); }
};

/// The functions of one kind. Coordinates are inside the table or interval.
struct kind_rules {
    using parameter = parameter_description const&;

    parameter_kind of{};
    std::string (*text)(parameter, coordinate at) = nullptr;
    std::optional<coordinate> (*parse)(parameter, std::string_view text) = nullptr;
    /// Distance in [0, 1]; 1 for the farthest pair of values.
    double (*distance)(parameter, coordinate a, coordinate b) = nullptr;
    /// Offers the values one step from `at`, as for_each_step() describes.
    void (*steps)(parameter, coordinate at, step_taker const& take) = nullptr;
    /// How many numbers in [0, 1] encode a value.
    std::size_t (*unit_width)(parameter) = nullptr;
    /// The table that to_unit and from_unit read; made once per parameter.
    std::vector<double> (*unit_table)(parameter) = nullptr;
    /// @param out  unit_width numbers, all 0
    void (*to_unit)(parameter, std::span<double const> table, coordinate at,
                    std::span<double> out) = nullptr;
    /// The nearest value. @param at  unit_width numbers; those outside [0, 1] count as 0 or 1
    coordinate (*from_unit)(parameter, std::span<double const> table,
                            std::span<double const> at) = nullptr;
};

[[nodiscard]] kind_rules const& rules_of(parameter_kind kind) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/kind_rules.ipp>
#endif
