// attune/search/bayes/model/code_metric_features.hpp - code metrics, and their predictions for code not yet compiled.
// SPDX-License-Identifier: MIT
// Source   Astudillo & Frazier 2019 (composite functions) and 2021 (function networks): quantities
//          between configuration and objective have their own models. Both draw the quantities from
//          the posterior inside the acquisition. Own: mean and deviation are part of the
//          surrogate's distance, so each candidate keeps one posterior (see code_metric_columns).
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/candidates.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/features/parameter_features.hpp>
#include <attune/search/bayes/gp/process.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A number per name for each configuration with metrics; NaN if missing.
class code_metrics {
public:
    /// @param count  of names
    explicit code_metrics(std::size_t count = 0)
        : count_(count)
    {
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Replaces the numbers of `p`. Non-finite numbers count as missing. Ignored if the count is
    /// wrong or all numbers are missing.
    void set(point const& p, std::span<double const> numbers)
    {
        if (numbers.size() != count_) return;
        std::vector<double> kept(numbers.begin(), numbers.end());
        bool any = false;
        for (double& v : kept) {
            if (!std::isfinite(v)) v = std::nan("");
            any = any || std::isfinite(v);
        }
        if (!any) return;
        auto const [place, is_new] = place_.try_emplace(p, all_.size());
        if (is_new)
            all_.emplace_back(p, std::move(kept));
        else
            all_[place->second].second = std::move(kept);
    }

    /// The numbers of `p`; null if there are none.
    [[nodiscard]] std::vector<double> const* of(point const& p) const
    {
        auto const found = place_.find(p);
        return found == place_.end() ? nullptr : &all_[found->second].second;
    }
    /// All numbers, in the order in which the configurations were first set.
    [[nodiscard]] std::vector<std::pair<point, std::vector<double>>> const& all() const noexcept
    {
        return all_;
    }

private:
    std::size_t count_;
    std::vector<std::pair<point, std::vector<double>>> all_;
    std::unordered_map<point, std::size_t, point_hash> place_;
};

/// One Gaussian process per name, over the features known before compilation. An unused column has
/// level 0 everywhere, and therefore no effect.
class code_metric_features final : public code_metric_columns {
public:
    /// A column is used from this many numbers on, unless all are equal.
    static constexpr std::size_t least_learnt = 5;
    /// After least_judged judged predictions, a column is unused if the squared error of the
    /// last_judged latest exceeds tolerated_error of the numbers' variance.
    static constexpr std::size_t least_judged = 5;
    static constexpr std::size_t last_judged = 20;
    static constexpr double tolerated_error = 0.75;
    /// The model learns only the latest numbers, at most this many.
    static constexpr std::size_t most_learnt = 150;

    /// @param own       features without code metrics
    /// @param metrics   must outlive this object
    code_metric_features(feature_map own, code_metrics const& metrics)
        : own_(std::move(own))
        , metrics_(metrics)
    {
        for (std::string const& name : own_.space().describe().code_metrics)
            columns_.push_back({name});
    }

    [[nodiscard]] std::size_t count() const override { return columns_.size(); }
    [[nodiscard]] std::string const& name(std::size_t c) const override { return columns_[c].name; }
    [[nodiscard]] bool is_used(std::size_t c) const { return columns_[c].is_used; }
    [[nodiscard]] bool has_metrics_of(point const& p) const override
    {
        return metrics_.of(p) != nullptr;
    }

    /// Learns from new numbers, and decides which columns are used. Older table rows are then out
    /// of date.
    /// Cost   a fit of hyperparameters per column
    void learn()
    {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            judge(c);
            learn(c);
        }
        judged_ = metrics_.all().size();
    }

    void append(point const& p, feature_table& table) const override
    {
        feature_table one;
        std::vector<double> const* const known = metrics_.of(p);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            std::uint32_t level = 0;
            if (columns_[c].is_used && is_number(known, c)) {
                level = columns_[c].level_of((*known)[c]);
            } else if (columns_[c].is_used) {
                if (one.points == 0) own_.append(p, one);
                level = guess(columns_[c], one).front();
            }
            table.level[own_.count() + c].push_back(level);
        }
    }

    /// Sets the metric columns of the candidates from `first` on; `table` has their other features.
    /// Cost   per candidate and column n^2 / 2 multiplications, with n learnt numbers
    void widen(feature_table& table, candidate_rows const& rows, std::size_t first) const
    {
        table.level.resize(own_.count());
        table.real.resize(own_.count());
        std::vector<std::vector<std::uint32_t>> added;
        for (column const& c : columns_)
            added.push_back(c.is_used ? guess(c, table)
                                      : std::vector<std::uint32_t>(table.points, 0));
        for (auto const& [p, numbers] : metrics_.all()) {
            std::optional<std::size_t> const row = rows.row_of(p);
            if (!row || *row < first || *row - first >= table.points) continue;
            for (std::size_t c = 0; c < columns_.size(); ++c)
                if (columns_[c].is_used && is_number(&numbers, c))
                    added[c][*row - first] = columns_[c].level_of(numbers[c]);
        }
        for (std::vector<std::uint32_t>& of_column : added)
            table.level.push_back(std::move(of_column));
        table.real.resize(table.level.size());
    }

private:
    struct column {
        std::string name;
        bool is_used = false;
        spacing how{}; ///< of the learnt numbers; `low` and `high` are spaced
        double low = 0;
        double high = 0;
        std::optional<gp::process> process{}; ///< of the spaced numbers
        std::vector<double> errors{}; ///< squared, of predictions, over the numbers' variance

        [[nodiscard]] bool tells_nothing() const
        {
            if (errors.size() < least_judged) return false;
            std::size_t const count = std::min(errors.size(), last_judged);
            double const sum = std::accumulate(errors.end() - static_cast<std::ptrdiff_t>(count),
                                               errors.end(), 0.0);
            return sum > tolerated_error * static_cast<double>(count);
        }

        /// @param deviation  of a spaced number; 0: known exactly
        [[nodiscard]] std::uint32_t level_at(double spaced, double deviation) const
        {
            return level((spaced - low) / (high - low), deviation / (high - low));
        }
        [[nodiscard]] std::uint32_t level_of(double number) const
        {
            return level_at(spaced_number(number), 0);
        }
        /// A number below the learnt ones may have no logarithm: it counts as the lowest.
        [[nodiscard]] double spaced_number(double number) const
        {
            if (how == spacing::log && number <= 0) return low;
            if (how == spacing::log_plus && number < 0) return low;
            return detail::spaced(number, how);
        }
    };

    [[nodiscard]] static bool is_number(std::vector<double> const* numbers, std::size_t c)
    {
        return numbers != nullptr && std::isfinite((*numbers)[c]);
    }

    [[nodiscard]] static std::vector<std::uint32_t> guess(column const& c,
                                                          feature_table const& points)
    {
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
        c.process->predict(points, mean, variance);
        double const scale = c.process->scale();
        double const noise = c.process->hyper().noise(); // not explained by the model
        std::vector<std::uint32_t> out;
        for (Eigen::Index i = 0; i < mean.size(); ++i)
            out.push_back(c.level_at(mean[i] * scale + c.process->shift(),
                                     std::sqrt(std::max(variance[i], 0.0) + noise) * scale));
        return out;
    }

    /// Compares the numbers since the last learn() with their predictions.
    void judge(std::size_t c)
    {
        column& of = columns_[c];
        if (!of.process) return;
        feature_table points;
        std::vector<double> truth;
        for (std::size_t i = judged_; i < metrics_.all().size(); ++i) {
            auto const& [p, numbers] = metrics_.all()[i];
            if (!is_number(&numbers, c)) continue;
            own_.append(p, points);
            truth.push_back((of.spaced_number(numbers[c]) - of.process->shift()) /
                            of.process->scale());
        }
        if (truth.empty()) return;
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
        of.process->predict(points, mean, variance);
        for (std::size_t i = 0; i < truth.size(); ++i)
            of.errors.push_back(std::pow(truth[i] - mean[static_cast<Eigen::Index>(i)], 2));
    }

    void learn(std::size_t c)
    {
        column& of = columns_[c];
        feature_table points;
        std::vector<double> numbers;
        std::size_t const known = metrics_.all().size();
        for (std::size_t i = known > most_learnt ? known - most_learnt : 0; i < known; ++i) {
            auto const& [p, all] = metrics_.all()[i];
            if (!is_number(&all, c)) continue;
            own_.append(p, points);
            numbers.push_back(all[c]);
        }
        of.is_used = false;
        if (numbers.size() < least_learnt) return;
        auto const [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end());
        if (*lowest == *highest) return;
        of.is_used = !of.tells_nothing();
        of.how = spacing_for(*lowest);
        of.low = detail::spaced(*lowest, of.how);
        of.high = detail::spaced(*highest, of.how);
        if (!(of.low < of.high)) { // neighbours with equal logarithms
            of.is_used = false;
            return;
        }
        double mean = 0;
        for (double& v : numbers)
            mean += (v = detail::spaced(v, of.how)) / static_cast<double>(numbers.size());
        double squares = 0;
        for (double const v : numbers)
            squares += (v - mean) * (v - mean);
        if (!of.process) of.process.emplace(own_, gp::process_options{});
        of.process->rescale(mean, std::sqrt(squares / static_cast<double>(numbers.size())));
        random_engine none(0); // the default options draw nothing
        of.process->refit(points, numbers, {}, none);
        of.process->condition(points, numbers);
    }

    feature_map own_;
    code_metrics const& metrics_;
    std::vector<column> columns_;
    std::size_t judged_ = 0; ///< of metrics_.all()
};

} // namespace attune::inline ATTUNE_ABI::detail
