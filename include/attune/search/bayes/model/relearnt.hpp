// attune/search/bayes/model/relearnt.hpp - keeps candidates for a surrogate that only learns and predicts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/conditional.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A resident_surrogate made of any surrogate: `S` learns everything again when mean() or
/// variance() is called after an observation. Without observations the mean is 0 and the variance
/// 1. The random choices of `S` change only at fit().
template <surrogate S>
class relearnt {
public:
    /// @param settings  surrogate_settings<S>, if `S` has any
    template <class... Settings>
        requires std::constructible_from<S, feature_map const&, Settings const&...>
    explicit relearnt(feature_map const& features, Settings const&... settings)
        : model_(features, settings...)
    {
    }

    void assign(feature_table rows)
    {
        table_ = std::move(rows);
        is_stale_ = true;
    }
    void append(feature_table const& rows)
    {
        for (std::size_t row = 0; row < rows.points; ++row)
            gp::append_row(rows, row, table_);
        is_stale_ = true;
    }
    [[nodiscard]] feature_table const& table() const { return table_; }

    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine)
    {
        seed_ = engine();
        random_engine own(seed_);
        if constexpr (requires { model_.fit(points, values, variance, own); })
            if (points.points > 0) model_.fit(points, values, variance, own);
        is_stale_ = true;
    }
    void learn(feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine&)
    {
        points_ = points;
        values_.assign(values.begin(), values.end());
        variance_.assign(variance.begin(), variance.end());
        variance_.resize(values_.size(), 0);
        is_stale_ = true;
    }
    void observe(feature_table const& from, std::size_t row, double value, double variance)
    {
        gp::append_row(from, row, points_);
        values_.push_back(value);
        variance_.push_back(variance);
        is_stale_ = true;
    }
    void observe(std::size_t row, double value, double variance)
    {
        observe(table_, row, value, variance);
    }
    void push(feature_table const& from, std::size_t row, double value)
    {
        observe(from, row, value, 0);
    }
    void push(std::size_t row, double value) { observe(table_, row, value, 0); }
    void pop()
    {
        gp::erase_row(points_, points_.points - 1);
        values_.pop_back();
        variance_.pop_back();
        is_stale_ = true;
    }

    [[nodiscard]] Eigen::ArrayXd const& mean()
    {
        refresh();
        return mean_;
    }
    [[nodiscard]] Eigen::ArrayXd const& variance()
    {
        refresh();
        return of_mean_;
    }
    void covariance(std::size_t row, Eigen::ArrayXd& out)
    {
        refresh();
        out = Eigen::ArrayXd::Zero(of_mean_.size());
        out[static_cast<Eigen::Index>(row)] = of_mean_[static_cast<Eigen::Index>(row)];
    }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        refresh();
        if (!values_.empty()) return model_.predict(points, mean, variance);
        mean.setZero(static_cast<Eigen::Index>(points.points));
        variance.setOnes(static_cast<Eigen::Index>(points.points));
    }

private:
    void refresh() const
    {
        if (!is_stale_) return;
        is_stale_ = false;
        if (values_.empty()) {
            mean_.setZero(static_cast<Eigen::Index>(table_.points));
            of_mean_.setOnes(static_cast<Eigen::Index>(table_.points));
            return;
        }
        random_engine engine(seed_);
        model_.learn(points_, values_, variance_, engine);
        model_.predict(table_, mean_, of_mean_);
    }

    S mutable model_; // learns when its predictions are needed
    feature_table table_;
    feature_table points_;
    std::vector<double> values_;
    std::vector<double> variance_; ///< of each value
    std::uint64_t seed_ = 0;       ///< of the next learn(); changed by fit()
    bool mutable is_stale_ = true;
    Eigen::ArrayXd mutable mean_;
    Eigen::ArrayXd mutable of_mean_; ///< the posterior variance
};

/// `S` if it keeps candidates, else relearnt<S>.
template <surrogate S>
using candidate_model = std::conditional_t<resident_surrogate<S>, S, relearnt<S>>;

} // namespace attune::inline ATTUNE_ABI::detail
