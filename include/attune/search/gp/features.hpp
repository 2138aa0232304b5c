// attune/search/gp/features.hpp - points as columns of levels, and the distances between levels.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       a description; points
// Out      one column per feature; squared distances of a point to all points of a table
// Source   BaCO Sec. 4.1 (a distance per kind of parameter). Own: distances are looked up in one
// row
//          per level that has been observed, so a pair costs one load and one multiply per feature.
// Depends  std only
// Tests    tests/search/gp/features.cpp
#pragma once

#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/distance.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::gp {

/// Points, feature by feature. `level[f]` and `real[f]` are as long as there are points; `real[f]`
/// is empty for a feature without real values.
struct feature_table {
    std::vector<std::vector<std::uint32_t>> level;
    std::vector<std::vector<double>> real;
    std::size_t points = 0;
};

/// The features of a space: its parameters with more than one value.
class feature_map {
public:
    /// @param space  bound; must outlive this object
    explicit feature_map(description const& space)
        : space_(&space)
    {
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
            parameter_description const& p = space.parameters[i];
            bool const varies =
                p.kind == parameter_kind::real ? p.high > p.low : p.value_count() > 1;
            if (varies) parameters_.push_back(i);
        }
        rows_.resize(parameters_.size());
    }

    [[nodiscard]] std::size_t count() const noexcept { return parameters_.size(); }

    /// Adds `p` as the last row of `table`.
    void append(point const& p, feature_table& table) const
    {
        table.level.resize(count());
        table.real.resize(count());
        for (std::size_t f = 0; f < count(); ++f) {
            coordinate const c = p[parameters_[f]];
            table.level[f].push_back(c.index);
            if (parameter(f).kind == parameter_kind::real) table.real[f].push_back(c.real);
        }
        ++table.points;
    }

    /// Adds weight * distance^2 in feature `f` between row `from` of `observed` and the rows
    /// first .. first + out.size() - 1 of `table` to `out`.
    /// Cost: one load and one multiply each, once the level has been met before.
    void add_squared_distances(std::size_t f,
                               feature_table const& observed,
                               std::size_t from,
                               feature_table const& table,
                               std::size_t first,
                               double weight,
                               std::span<double> out)
    {
        parameter_description const& p = parameter(f);
        std::uint32_t const level = observed.level[f][from];
        std::uint32_t const* const levels = table.level[f].data() + first;
        if (p.kind == parameter_kind::real || p.value_count() > largest_row) {
            bool const real = p.kind == parameter_kind::real;
            coordinate const a{level, real ? observed.real[f][from] : 0.0};
            for (std::size_t i = 0; i < out.size(); ++i) {
                coordinate const b{levels[i], real ? table.real[f][first + i] : 0.0};
                double const distance = parameter_distance(p, a, b);
                out[i] += weight * distance * distance;
            }
            return;
        }
        double const* const row = row_of(f, level).data();
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += weight * row[levels[i]];
    }

private:
    /// Longer rows (512 KiB) would cost more to fill than the pairs that read them.
    static constexpr std::uint32_t largest_row = 65536;

    [[nodiscard]] parameter_description const& parameter(std::size_t f) const noexcept
    {
        return space_->parameters[parameters_[f]];
    }
    std::vector<double> const& row_of(std::size_t f, std::uint32_t level)
    {
        auto const [place, is_new] = rows_[f].try_emplace(level);
        std::vector<double>& row = place->second;
        if (is_new) {
            parameter_description const& p = parameter(f);
            row.resize(p.value_count());
            for (std::uint32_t other = 0; other < row.size(); ++other) {
                double const distance = parameter_distance(p, {level, 0}, {other, 0});
                row[other] = distance * distance;
            }
        }
        return row;
    }

    description const* space_;
    std::vector<std::uint32_t> parameters_;
    std::vector<std::unordered_map<std::uint32_t, std::vector<double>>> rows_;
};

} // namespace attune::gp
