// attune/search/bayes/features/level_scale.hpp - numbers as levels on a line.
// SPDX-License-Identifier: MIT
//
// Logarithms as BaCO Sec. 4.1
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
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

} // namespace attune::inline ATTUNE_ABI::detail
