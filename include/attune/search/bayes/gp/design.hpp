// attune/search/bayes/gp/design.hpp - observed points as levels and distances, the input of a kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// One feature of n observed points.
struct observed_feature {
    std::vector<std::uint32_t> code; ///< n: index of a level that occurs
    Eigen::MatrixXd squared;         ///< squared distances of the levels that occur; symmetric
};

/// n points with d features.
struct design {
    Eigen::Index points = 0;
    std::vector<observed_feature> features;
};

/// The design of all rows of `points`.
/// Cost     n d look-ups and, per feature, half the square of its occurring levels in distances; a
///          continuous feature has one level per distinct value
[[nodiscard]] inline design design_of(attune::feature_map const& map,
                                      attune::feature_table const& points)
{
    design out{static_cast<Eigen::Index>(points.points), {}};
    out.features.resize(map.count());
    for (std::size_t f = 0; f < map.count(); ++f) {
        observed_feature& feature = out.features[f];
        bool const continuous = map.levels(f) == 0;
        std::vector<std::size_t> first; // one row per level
        if (continuous) {
            std::unordered_map<double, std::uint32_t> seen;
            for (std::size_t i = 0; i < points.points; ++i) {
                auto const [place, is_new] = seen.try_emplace(
                    map.position(f, points, i), static_cast<std::uint32_t>(first.size()));
                if (is_new) first.push_back(i);
                feature.code.push_back(place->second);
            }
        } else {
            std::unordered_map<std::uint32_t, std::uint32_t> seen;
            for (std::size_t i = 0; i < points.points; ++i) {
                auto const [place, is_new] =
                    seen.try_emplace(points.level[f][i], static_cast<std::uint32_t>(first.size()));
                if (is_new) first.push_back(i);
                feature.code.push_back(place->second);
            }
        }
        Eigen::Index const levels = static_cast<Eigen::Index>(first.size());
        feature.squared.setZero(levels, levels);
        for (Eigen::Index a = 0; a < levels; ++a)
            for (Eigen::Index b = 0; b < a; ++b) {
                std::size_t const row_a = first[static_cast<std::size_t>(a)];
                std::size_t const row_b = first[static_cast<std::size_t>(b)];
                double const distance =
                    continuous ? map.position(f, points, row_a) - map.position(f, points, row_b)
                               : map.distance(f, points.level[f][row_a], points.level[f][row_b]);
                feature.squared(a, b) = feature.squared(b, a) = distance * distance;
            }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
