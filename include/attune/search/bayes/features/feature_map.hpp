// attune/search/bayes/features/feature_map.hpp - configurations as the numbers that models learn from.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.1 (a distance per kind of parameter, transformed). Own: the sides of the
//          constraints as features, because the limits of a kernel (threads, shared memory) also
//          make it fast; alignment; no feature that repeats another.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

class code_metric_columns;

} // namespace detail

/// Points, feature by feature. `level[f]` and `real[f]` have one entry per point; one of the two is
/// empty: `real[f]` for a feature with levels, `level[f]` for a continuous one.
struct feature_table {
    std::vector<std::vector<std::uint32_t>> level;
    std::vector<std::vector<double>> real; ///< feature_map::position, in [0, 1]
    std::size_t points = 0;
};

/// The features of a space. Immutable; copies share their data.
///
/// First every parameter with more than one valid value, one level per value that occurs:
///   real                  continuous, on its scale
///   integer, ordinal      by logarithm where all values are positive, else linear; continuous
///                         beyond max_levels values
///   boolean, categorical  nominal
///   all of these          as feature_options::places, if that is not logarithmic
///   permutation           by its metric; beyond max_levels orders one feature per item, its place
///   tile                  by the logarithms of its factors; beyond max_levels one feature for each
/// (a conditional parameter has one level more, the last, which means inactive);
/// then derived features, unless constant or equal to another feature over the space:
///   the sides of comparisons that read two or more parameters, by logarithm where positive
///   `A % B` over two or more parameters: log(A / B); `p % constant`: whether it is 0
///   how often 2 divides a positive whole parameter, unless all its values are powers of two
///   what the user declared with features(...), by logarithm where positive
/// and last the features of with(). A derived feature has the levels that occur in the space;
/// another value counts as the nearest level, an undefined one as the lowest.
class feature_map {
public:
    /// The most levels of a feature, except nominal and derived ones.
    static constexpr std::uint32_t max_levels = 8192;

    explicit feature_map(chain_of_trees const& space, feature_options const& options = {});

    /// The same features followed by `more`, which count as derived features.
    [[nodiscard]] feature_map with(std::shared_ptr<detail::code_metric_columns const> more) const;

    [[nodiscard]] chain_of_trees const& space() const noexcept;
    [[nodiscard]] std::size_t count() const noexcept;
    /// Texts of the user's declaration: "TILE_M", "TILE_M * TILE_N", "TILE_M / UNROLL".
    [[nodiscard]] std::string const& name(std::size_t f) const noexcept;
    [[nodiscard]] bool is_derived(std::size_t f) const noexcept;
    /// Number of levels; 0 for a continuous feature.
    [[nodiscard]] std::uint32_t levels(std::size_t f) const noexcept;
    /// Returns true if levels have no order and all distances between them are equal.
    [[nodiscard]] bool is_nominal(std::size_t f) const noexcept;
    /// Coordinates per level: 1 on a line, 0 for nominal features, more for permutations and tiles.
    [[nodiscard]] std::size_t dimensions(std::size_t f) const noexcept;
    /// The coordinates of a level; the distance of two levels is Euclidean.
    /// @pre  levels(f) > 0 and not nominal, level < levels(f)
    [[nodiscard]] std::span<double const> place(std::size_t f, std::uint32_t level) const noexcept;
    /// Position of row `row` on the line, in [0, 1]. @pre dimensions(f) is 1
    [[nodiscard]] double position(std::size_t f, feature_table const& table,
                                  std::size_t row) const noexcept;
    /// Distance of two levels: in [0, 1], symmetric, 0 only for equal levels.
    /// @pre  levels(f) > 0
    [[nodiscard]] double distance(std::size_t f, std::uint32_t a, std::uint32_t b) const noexcept;

    /// Adds `p` as the last row of `table`, which is empty or was filled by this map.
    /// Cost   about 0.1 us per feature
    void append(point const& p, feature_table& table) const;
    /// Returns true if the code metrics of `p` are known; then earlier rows may be out of date.
    [[nodiscard]] bool has_metrics_of(point const& p) const;

private:
    struct state;
    [[nodiscard]] std::size_t own_count() const noexcept;

    std::shared_ptr<state const> state_;
    std::shared_ptr<detail::code_metric_columns const> more_;
};

namespace detail {

/// Numbers such as the registers of compiled code: known for points that were built, predicted for
/// other points. A feature_map appends them to its features, see feature_map::with().
class code_metric_columns {
public:
    /// A level is a pair: a number on an even grid over [0, 1], and its standard deviation. The
    /// numbers may be rescaled; the levels stay, so that tables of levels stay valid.
    static constexpr std::uint32_t steps = 64;
    static constexpr std::uint32_t doubts = 8;
    static constexpr std::uint32_t levels = steps * doubts;
    static constexpr double doubt_step = 1.0 / 16;

    /// @param at  in [0, 1] @param deviation on the same scale; 0: known exactly
    [[nodiscard]] static std::uint32_t level(double at, double deviation = 0) noexcept
    {
        auto const step = std::lround(std::clamp(at, 0.0, 1.0) * (steps - 1));
        auto const doubt = std::lround(std::clamp(deviation / doubt_step, 0.0, doubts - 1.0));
        return static_cast<std::uint32_t>(doubt) * steps + static_cast<std::uint32_t>(step);
    }
    /// Two numbers per level: (number, deviation). The squared distance between a predicted and a
    /// known level is then its expectation, E(h - h')^2 = (E h - h')^2 + Var h.
    static constexpr std::size_t dimensions = 2;
    [[nodiscard]] static std::array<double, levels * dimensions> const& places() noexcept
    {
        static constexpr auto all = [] {
            std::array<double, levels * dimensions> out{};
            for (std::uint32_t i = 0; i < levels; ++i) {
                out[2 * i] = static_cast<double>(i % steps) / (steps - 1);
                out[2 * i + 1] = static_cast<double>(i / steps) * doubt_step;
            }
            return out;
        }();
        return all;
    }

    code_metric_columns() = default;
    code_metric_columns(code_metric_columns const&) = delete;
    code_metric_columns& operator=(code_metric_columns const&) = delete;
    virtual ~code_metric_columns() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual std::string const& name(std::size_t column) const = 0;
    /// Returns true if the numbers of `p` are known, not predicted.
    [[nodiscard]] virtual bool has_metrics_of(point const& p) const = 0;
    /// Appends the levels of `p`, the last row of `table`, which already has all other features.
    virtual void append(point const& p, feature_table& table) const = 0;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/feature_map.ipp>
#endif
