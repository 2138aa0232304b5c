// attune/search/bayes/features/parameter_features.hpp - numbers as levels on a line, and the features of a parameter.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1 (distances, transformed; logarithms); Lomeli et al. 2019: its distances
//          between orders embed in a Euclidean space. An inactive parameter as one point apart from
//          its values: Hutter & Osborne 2013, Swersky et al. 2014 (the arc kernel). They bend the
//          line of values so that the point is equally far from all; here the line is straight, and
//          the point is above its middle
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Transformation of numbers before they are scaled to [0, 1].
enum class spacing : std::uint8_t {
    linear,
    log,      ///< numbers above 0
    log_plus, ///< log(1 + number), for sizes that may be 0
};

/// Logarithmic if all numbers are above 0, log_plus if the smallest is 0, else linear.
[[nodiscard]] inline spacing spacing_for(double smallest) noexcept
{
    return smallest > 0 ? spacing::log : smallest == 0 ? spacing::log_plus : spacing::linear;
}
[[nodiscard]] inline double spaced(double v, spacing how) noexcept
{
    switch (how) {
    case spacing::log:
        return std::log(v);
    case spacing::log_plus:
        return std::log1p(v);
    default:
        return v;
    }
}
/// The inverse of spaced().
[[nodiscard]] inline double unspaced(double v, spacing how) noexcept
{
    switch (how) {
    case spacing::log:
        return std::exp(v);
    case spacing::log_plus:
        return std::expm1(v);
    default:
        return v;
    }
}

/// Levels for the numbers that occur.
class level_scale {
public:
    level_scale() = default;

    /// One level per number; with more than `most` numbers, neighbours share levels such that the
    /// widest level is as narrow as possible. A level is placed at the mean of its numbers.
    /// @param occurring  finite, ascending, distinct, not empty; above 0 (not below) for log
    ///                   (log_plus)
    level_scale(std::span<double const> occurring, spacing how, std::uint32_t most)
    {
        std::vector<double> at;
        for (double const v : occurring)
            at.push_back(spaced(v, how));
        double const width = occurring.size() > most ? narrowest(at, most) : -1;
        for (std::size_t i = 0; i < at.size();) {
            std::size_t const end = level_end(at, i, width);
            if (i > 0) starts_.push_back(boundary(occurring[i - 1], occurring[i], how));
            places_.push_back(std::accumulate(at.begin() + static_cast<std::ptrdiff_t>(i),
                                              at.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                              static_cast<double>(end - i));
            i = end;
        }
        double const start = places_.front();
        double const length = places_.back() - start;
        for (double& p : places_)
            p = length > 0 ? (p - start) / length : 0;
    }

    /// The place of each level: ascending, from 0 to 1.
    [[nodiscard]] std::vector<double> const& places() const noexcept { return places_; }

    /// The nearest level of `v`; the lowest for no value.
    /// Cost   a binary search among the levels
    [[nodiscard]] std::uint32_t level_of(std::optional<double> v) const noexcept
    {
        if (!v) return 0;
        return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), *v) -
                                          starts_.begin());
    }

private:
    /// The end of the level that begins with number `i` and spans at most `width`.
    [[nodiscard]] static std::size_t level_end(std::vector<double> const& at, std::size_t i,
                                               double width) noexcept
    {
        double const last = at[i] + width;
        for (++i; i < at.size() && at[i] <= last; ++i) {
        }
        return i;
    }
    /// The least width, to a part in 2^40 of the whole, with which `most` levels suffice.
    [[nodiscard]] static double narrowest(std::vector<double> const& at,
                                          std::uint32_t most) noexcept
    {
        double too_narrow = 0;
        double enough = at.back() - at.front();
        for (int halving = 0; halving < 40; ++halving) {
            double const width = too_narrow + (enough - too_narrow) / 2;
            std::uint32_t levels = 0;
            for (std::size_t i = 0; i < at.size() && levels <= most; i = level_end(at, i, width))
                ++levels;
            (levels <= most ? enough : too_narrow) = width;
        }
        return enough;
    }
    /// The least number that belongs to the level of `above` and not to that of `below`.
    [[nodiscard]] static double boundary(double below, double above, spacing how) noexcept
    {
        double const middle = unspaced((spaced(below, how) + spaced(above, how)) / 2, how);
        return middle > below && middle <= above ? middle : above;
    }

    std::vector<double> places_;
    std::vector<double> starts_; // of level 1, 2, ...
};

/// Appends the coordinates of one order of n >= 2 items:
///   spearman  the place of each item;  kendall  which item of each pair comes first
///   hamming   for each place and item whether the one holds the other
inline void embed_order(std::span<std::int64_t const> order, order_distance how,
                        std::vector<double>& out)
{
    std::size_t const n = order.size();
    double const count = static_cast<double>(n);
    std::vector<double> place(n);
    for (std::size_t i = 0; i < n; ++i)
        place[static_cast<std::size_t>(order[i])] = static_cast<double>(i);
    switch (how) {
    case order_distance::spearman:
        for (double const p : place)
            out.push_back(p / std::sqrt((count * count * count - count) / 3));
        break;
    case order_distance::kendall:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                out.push_back(place[i] < place[j] ? 0 : 1 / std::sqrt(count * (count - 1) / 2));
        break;
    case order_distance::hamming:
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                out.push_back(order[i] == static_cast<std::int64_t>(j) ? 1 / std::sqrt(2 * count)
                                                                       : 0);
        break;
    case order_distance::naive: // no order: nominal
        break;
    }
}

/// For every value of a permutation or tile in turn, equally many numbers; none for a permutation
/// of fewer than two items or with the naive metric.
[[nodiscard]] inline std::vector<double> embedding(parameter_description const& parameter)
{
    std::vector<double> out;
    for (std::uint32_t v = 0; v < parameter.value_count(); ++v) {
        std::vector<std::int64_t> const parts = elements_at(parameter, v);
        if (parameter.traits().is_order) {
            if (parts.size() > 1) embed_order(parts, parameter.metric, out);
            continue;
        }
        double extent = 0;
        for (std::int64_t const factor : parts)
            extent += std::log(static_cast<double>(factor));
        for (std::int64_t const factor : parts)
            out.push_back(extent > 0 ? std::log(static_cast<double>(factor)) /
                                           (std::numbers::sqrt2 * extent)
                                     : 0);
    }
    return out;
}

/// One parameter, or one part of it, as a feature.
struct parameter_feature {
    /// The part of a coordinate that is read.
    enum class reading : std::uint8_t {
        index,    ///< the level is the rank of the value among those that occur
        real,     ///< a point of an interval on its scale: continuous
        plain,    ///< a point of an interval by difference: continuous
        number,   ///< the number at the index: continuous
        position, ///< the place of item `part` of a permutation is the level
        factor,   ///< factor `part` of a tile, by `scale`
        item,     ///< as position, for a long permutation, which is a group
    };

    std::string name;
    std::uint32_t parameter = 0;
    reading read = reading::index;
    std::uint32_t part = 0;
    std::uint32_t levels = 0;
    std::vector<std::uint32_t> of_index; ///< level of each value; empty if all values occur
    std::size_t dimensions = 0;          ///< numbers per level in `places`; 0: nominal
    std::vector<double> places;          ///< level by level
    level_scale scale;                   ///< of factors
    spacing on = spacing::linear;        ///< of continuous numbers; `low` and `high` are so spaced
    double low = 0;
    double high = 0;
    /// True if the parameter is conditional. The last level then means inactive, at distance 1 from
    /// the farthest value of the parameter (on a line at least 0.86 from all). A continuous feature
    /// has it at 0.5.
    bool has_inactive = false;

    /// @pre  not continuous
    [[nodiscard]] std::uint32_t level_at(parameter_description const& p, coordinate at) const;
    /// Position of a continuous feature, in [0, 1].
    [[nodiscard]] double position_at(parameter_description const& p, coordinate at) const;
};

/// The layout of the values of parameters.
struct parameter_layout {
    value_places places = value_places::logarithmic;
    double step = 0; ///< distance between ranked values of a table
};

/// The features of parameter `index`: one; none if only one value occurs; one per part for
/// permutations and tiles of more than `most` values. Conditional parameters have one more level.
/// @param occurs  for each value of the table, true if a valid configuration has it; not read for
///                real parameters
[[nodiscard]] std::vector<parameter_feature>
features_of(description const& space, std::uint32_t index, std::vector<bool> const& occurs,
            std::uint32_t most, parameter_layout layout = {});

/// From this number of values on, an unconstrained parameter is not listed value by value.
inline constexpr std::uint32_t most_listed_values = std::uint32_t{1} << 20U;

/// features_of() an unconstrained parameter with more values than most_listed_values: its numbers
/// are continuous, or each part is a feature.
/// @param values  its tree
[[nodiscard]] std::vector<parameter_feature> features_of_many(description const& space,
                                                              std::uint32_t index,
                                                              tree const& values,
                                                              parameter_layout layout = {});

/// One feature per item of a long permutation: its place.
[[nodiscard]] std::vector<parameter_feature> features_of_items(group_description const& order);

/// The place of each item of an order.
[[nodiscard]] std::vector<std::uint32_t> places_of_items(std::span<std::uint16_t const> order);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/parameter_features.ipp>
#endif
