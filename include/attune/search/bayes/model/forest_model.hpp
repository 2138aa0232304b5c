// attune/search/bayes/model/forest_model.hpp - random forests, and random forests as surrogates.
// SPDX-License-Identifier: MIT
// Source   Breiman 2001; Hutter et al. 2014, Sec. 4.3.2 (mean and variance of a forest by the law
//          of total variance); BaCO Sec. 3.2 and 4.2 (as surrogate, as model of feasibility)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/forest/tree.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// Predicts a number by the mean of the leaves of its trees.
class regression_forest {
public:
    explicit regression_forest(options const& how = {})
        : how_(how)
    {
    }

    /// Learns `y`, one finite number per point of `x`; replaces earlier data. Without points,
    /// predictions have mean 0 and variance 1.
    /// Cost   about 0.2 ms per tree for 200 points and 16 columns
    void fit(code_table const& x, std::span<double const> y, random_engine& engine);

    /// For each point of `x`: the mean, and the variance by the law of total variance: the mean of
    /// the leaves' variances plus the variance of their means.
    /// @param mean, variance  one entry per point of `x`
    void predict(code_table const& x, std::span<double> mean, std::span<double> variance) const;

private:
    options how_;
    double centre_ = 0; // mean of the learnt numbers; trees learn the differences from it
    std::vector<masked_tree> trees_;
};

} // namespace attune::inline ATTUNE_ABI::detail::forest

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
/// probability as mean, with variance 0; 1 before it has learnt. For two classes, least squares and
/// Gini's impurity choose the same splits.
class forest_classifier {
public:
    explicit forest_classifier(feature_map const& features)
        : forest_(features)
    {
    }

    void learn(feature_table const& points, std::span<double const> values, std::span<double const>,
               random_engine& engine)
    {
        std::vector<double> positive;
        for (double const v : values)
            positive.push_back(v > 0 ? 1 : 0);
        forest_.learn(points, positive, {}, engine);
        is_empty_ = values.empty();
    }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        forest_.predict(points, mean, variance);
        if (is_empty_) mean.setOnes();
        variance.setZero();
    }

private:
    forest_of_labels forest_;
    bool is_empty_ = true;
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

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/model/forest_model.ipp>
#endif
