// attune/search/bayes/forest/forest.hpp - random forests that predict numbers with variance, or probabilities.
// SPDX-License-Identifier: MIT
// Source   Breiman 2001; Hutter et al. 2014, Sec. 4.3.2 (mean and variance of a forest by the law
//          of total variance); BaCO Sec. 3.2 and 4.2 (as surrogate, as model of feasibility)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/forest/coding.hpp>
#include <attune/search/bayes/forest/tree.hpp>

#include <cstddef>
#include <optional>
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

    [[nodiscard]] std::size_t tree_count() const noexcept { return trees_.size(); }

    /// For each point of `x`: the mean, and the variance by the law of total variance: the mean of
    /// the leaves' variances plus the variance of their means.
    /// @param mean, variance  one entry per point of `x`
    void predict(code_table const& x, std::span<double> mean, std::span<double> variance) const;

    /// The mean squared error at each point of the trees not trained on it, over the variance of
    /// the numbers: 1 is as good as the mean of all numbers. Nothing without bootstrap, if no point
    /// was left out, or if all numbers are equal.
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept { return error_; }

private:
    options how_;
    double centre_ = 0; // mean of the learnt numbers; trees learn the differences from it
    std::vector<masked_tree> trees_;
    std::optional<double> error_;
};

/// Predicts the probability of a boolean label as the share of true ones in the leaves: for two
/// classes, least squares and Gini's impurity choose the same splits.
class classification_forest {
public:
    explicit classification_forest(options const& how = {})
        : forest_(without_floor(how))
    {
    }

    /// @param labels  one per point of `x`; not 0 is true
    void fit(code_table const& x, std::span<char const> labels, random_engine& engine);
    /// In [0, 1], one entry per point of `x`; `without_points` if nothing was learnt.
    void probability(code_table const& x, std::span<double> out, double without_points = 0.5) const;
    /// regression_forest::out_of_bag_error of the probabilities: the Brier score over that of the
    /// share of true labels.
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept
    {
        return forest_.out_of_bag_error();
    }

private:
    [[nodiscard]] static options without_floor(options how)
    {
        how.variance_floor = 0;
        return how;
    }

    regression_forest forest_;
};

} // namespace attune::inline ATTUNE_ABI::detail::forest

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/forest/forest.ipp>
#endif
