// attune/search/bayes/forest/models.hpp - forests that learn from the tables of a feature_map.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 (surrogate) and 4.2 (hidden constraints)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/forest/coding.hpp>
#include <attune/search/bayes/forest/forest.hpp>

#include <algorithm>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::forest {

/// What a configuration will cost.
class value_model {
public:
    explicit value_model(feature_map const& features, options const& how = {})
        : coding_(features)
        , forest_(how)
    {
    }

    /// @param y  one finite number per row of `seen`
    void fit(feature_table const& seen, std::span<double const> y, random_engine& engine)
    {
        forest_.fit(coding_(seen), y, engine);
    }
    /// @param mean, variance  one entry per row of `at`
    void predict(feature_table const& at, std::span<double> mean, std::span<double> variance) const
    {
        forest_.predict(coding_(at), mean, variance);
    }
    /// regression_forest::out_of_bag_error
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept
    {
        return forest_.out_of_bag_error();
    }

private:
    coding coding_;
    regression_forest forest_;
};

/// Whether a configuration will work.
class feasibility_model {
public:
    explicit feasibility_model(feature_map const& features, options const& how = {})
        : coding_(features)
        , forest_(how)
    {
    }

    /// @param worked  one per row of `seen`; 0: it failed
    void fit(feature_table const& seen, std::span<char const> worked, random_engine& engine)
    {
        forest_.fit(coding_(seen), worked, engine);
    }
    /// In [0.01, 1], for no number of trees is sure enough to rule a point out; 1 before fit().
    /// @param out  one entry per row of `at`
    void probability(feature_table const& at, std::span<double> out) const
    {
        forest_.probability(coding_(at), out, 1.0);
        for (double& p : out)
            p = std::max(p, 0.01);
    }
    [[nodiscard]] std::optional<double> out_of_bag_error() const noexcept
    {
        return forest_.out_of_bag_error();
    }

private:
    coding coding_;
    classification_forest forest_;
};

} // namespace attune::inline ATTUNE_ABI::forest
