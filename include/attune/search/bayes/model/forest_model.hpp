// attune/search/bayes/model/forest_model.hpp - random forests with opinions on numbered candidates.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2 (forest as surrogate) and Sec. 4.2 (forest that says where points fail)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/forest/forest.hpp>
#include <attune/search/bayes/model/candidate_model.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Grown anew when an opinion is asked for after something was observed: a forest cannot be
/// extended. Variances of values are not used.
class forest_model final : public candidate_model {
public:
    explicit forest_model(feature_map const& features, forest::options const& how = {})
        : coding_(features)
        , forest_(how)
    {
        seen_.about = rows_.about = coding_.columns();
    }

    void assign(feature_table rows) override
    {
        table_ = std::move(rows);
        rows_ = coding_(table_);
        is_stale_ = true;
    }
    void append(feature_table const& rows) override
    {
        coding_.append(rows, 0, rows_);
        table_.level.resize(rows.level.size());
        table_.real.resize(rows.real.size());
        for (std::size_t f = 0; f < rows.level.size(); ++f)
            table_.level[f].insert(
                table_.level[f].end(), rows.level[f].begin(), rows.level[f].end());
        for (std::size_t f = 0; f < rows.real.size(); ++f)
            table_.real[f].insert(table_.real[f].end(), rows.real[f].begin(), rows.real[f].end());
        table_.points += rows.points;
        is_stale_ = true;
    }
    [[nodiscard]] feature_table const& table() const override { return table_; }

    void fit(feature_table const&,
             std::span<double const>,
             std::span<double const>,
             random_engine& engine) override
    {
        seed_ = engine();
    }
    void learn(feature_table const& points,
               std::span<double const> values,
               std::span<double const>,
               random_engine&) override
    {
        seen_ = {};
        seen_.about = coding_.columns();
        values_.assign(values.begin(), values.end());
        if (points.points > 0) coding_.append(points, 0, seen_);
        is_stale_ = true;
    }
    void observe(feature_table const& from, std::size_t row, double value, double) override
    {
        feature_table one;
        for (auto const& column : from.level)
            one.level.push_back(column.empty() ? column : std::vector{column[row]});
        for (auto const& column : from.real)
            one.real.push_back(column.empty() ? column : std::vector{column[row]});
        one.points = 1;
        coding_.append(one, 0, seen_);
        values_.push_back(value);
        is_stale_ = true;
    }
    void observe(std::size_t row, double value, double variance) override
    {
        observe(table_, row, value, variance);
    }
    void push(feature_table const& from, std::size_t row, double value) override
    {
        observe(from, row, value, 0);
    }
    void push(std::size_t row, double value) override { observe(table_, row, value, 0); }
    void pop() override
    {
        for (auto& column : seen_.code)
            column.pop_back();
        --seen_.points;
        values_.pop_back();
        is_stale_ = true;
    }

    [[nodiscard]] Eigen::ArrayXd const& mean() override
    {
        refresh();
        return mean_;
    }
    [[nodiscard]] Eigen::ArrayXd const& variance() override
    {
        refresh();
        return variance_;
    }
    /// Trees say nothing about how candidates vary together: only the own variance is not 0.
    void covariance(std::size_t row, Eigen::ArrayXd& out) override
    {
        refresh();
        out = Eigen::ArrayXd::Zero(variance_.size());
        out[static_cast<Eigen::Index>(row)] = variance_[static_cast<Eigen::Index>(row)];
    }

private:
    void refresh()
    {
        if (!is_stale_) return;
        is_stale_ = false;
        random_engine engine(seed_);
        forest_.fit(seen_, values_, engine);
        Eigen::Index const m = static_cast<Eigen::Index>(rows_.points);
        mean_.resize(m);
        variance_.resize(m);
        forest_.predict(rows_, {mean_.data(), rows_.points}, {variance_.data(), rows_.points});
    }

    forest::coding coding_;
    forest::regression_forest forest_;
    feature_table table_;
    forest::code_table rows_;
    forest::code_table seen_;
    std::vector<double> values_;
    std::uint64_t seed_ = 0; ///< of the next forests; another one at each fit()
    bool is_stale_ = true;
    Eigen::ArrayXd mean_, variance_;
};

} // namespace attune::inline ATTUNE_ABI
