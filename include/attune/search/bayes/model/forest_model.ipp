// attune/search/bayes/model/forest_model.ipp - grows and averages trees.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/bayes/model/forest_model.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace attune::inline ATTUNE_ABI::detail::forest {

ATTUNE_INLINE void regression_forest::fit(code_table const& x, std::span<double const> y,
                                          random_engine& engine)
{
    ATTUNE_ASSERT(x.points == y.size(), "a forest learns one number per point");
    trees_.clear();
    centre_ = 0;
    std::size_t const n = y.size();
    if (n == 0) return;
    double const count = static_cast<double>(n);
    centre_ = std::accumulate(y.begin(), y.end(), 0.0) / count;
    std::vector<double> centred; // keeps the digits of large numbers with a small spread
    double scatter = 0;
    for (double const v : y) {
        centred.push_back(v - centre_);
        scatter += centred.back() * centred.back();
    }

    tree_grower grower(x, centred, how_);
    std::vector<std::uint32_t> points(n);
    for (std::size_t t = 0; t < how_.trees; ++t) {
        std::iota(points.begin(), points.end(), 0U);
        if (how_.bootstrap)
            for (std::uint32_t& p : points)
                p = static_cast<std::uint32_t>(uniform_below(engine, n));
        trees_.emplace_back(grower.grow(points, engine), x.about,
                            how_.variance_floor * scatter / count);
    }
}

ATTUNE_INLINE void regression_forest::predict(code_table const& x, std::span<double> mean,
                                              std::span<double> variance) const
{
    ATTUNE_ASSERT(mean.size() == x.points && variance.size() == x.points,
                  "a forest predicts one mean and one variance per point");
    std::fill(mean.begin(), mean.end(), 0.0);
    std::fill(variance.begin(), variance.end(), trees_.empty() ? 1.0 : 0.0);
    for (masked_tree const& t : trees_)
        t.add(x, mean, variance);
    double const share = trees_.empty() ? 1 : 1 / static_cast<double>(trees_.size());
    for (std::size_t p = 0; p < mean.size(); ++p) {
        mean[p] *= share;
        variance[p] = std::max(0.0, variance[p] * share - mean[p] * mean[p]);
        mean[p] += centre_;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail::forest
