// attune/search/bayes/model/forest_model.hpp - random forests as surrogates.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 (forest as surrogate) and Sec. 4.2 (forest that learns where points fail)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/feasibility.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/forest/coding.hpp>
#include <attune/search/bayes/forest/forest.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A forest of regression trees; the variance is the disagreement of the trees. Variances of values
/// are not used.
class forest_surrogate {
public:
    explicit forest_surrogate(feature_map const& features, detail::forest::options const& how = {})
        : coding_(features)
        , forest_(how)
    {
    }

    void learn(feature_table const& points, std::span<double const> values, std::span<double const>,
               random_engine& engine)
    {
        forest_.fit(coding_(points), values, engine);
    }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        mean.resize(static_cast<Eigen::Index>(points.points));
        variance.resize(static_cast<Eigen::Index>(points.points));
        forest_.predict(coding_(points), {mean.data(), points.points},
                        {variance.data(), points.points});
    }
    /// regression_forest::out_of_bag_error
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept
    {
        return forest_.out_of_bag_error();
    }

private:
    detail::forest::coding coding_;
    detail::forest::regression_forest forest_;
};

namespace detail {

/// A forest of labels, in which a leaf of only failures has variance 0.
class forest_of_labels : public forest_surrogate {
public:
    explicit forest_of_labels(feature_map const& features)
        : forest_surrogate(features, {.variance_floor = 0})
    {
    }
};

/// A forest of classification trees: learns whether a value is positive, and predicts the
/// probability as mean, with variance 0.
class forest_classifier {
public:
    explicit forest_classifier(feature_map const& features, forest::options const& how = {})
        : coding_(features)
        , forest_(how)
    {
    }

    void learn(feature_table const& points, std::span<double const> values, std::span<double const>,
               random_engine& engine)
    {
        std::vector<char> positive;
        for (double const v : values)
            positive.push_back(v > 0 ? 1 : 0);
        forest_.fit(coding_(points), positive, engine);
    }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        mean.resize(static_cast<Eigen::Index>(points.points));
        variance.setZero(static_cast<Eigen::Index>(points.points));
        forest_.probability(coding_(points), {mean.data(), points.points}, 1.0);
    }
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept
    {
        return forest_.out_of_bag_error();
    }

private:
    forest::coding coding_;
    forest::classification_forest forest_;
};

} // namespace detail

using forest_feasibility = label_regression<detail::forest_of_labels>; ///< BaCO Sec. 4.2

/// A feasibility: a classification forest of successes.
struct forest_classification {
    using surrogate_type = detail::forest_classifier;

    [[nodiscard]] static double label(bool worked) noexcept { return worked ? 1.0 : -1.0; }
    /// At least 0.01, because a forest cannot exclude a point with certainty.
    [[nodiscard]] static double chance(double mean, double) noexcept
    {
        return std::clamp(mean, 0.01, 1.0); // shares of leaves may sum to 1 + 1e-16
    }
};

} // namespace attune::inline ATTUNE_ABI
