// attune/search/bayes/model/search_parts.hpp - the four parts of a Bayesian search, and its models, behind tables; candidates for a surrogate that only learns and predicts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/conditional.hpp>
#include <attune/search/bayes/surrogate.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// The functions of a resident_surrogate. The loop of a search calls each once per outcome or batch
/// of candidates.
class any_model {
public:
    any_model() = default;
    any_model(any_model const&) = delete;
    any_model& operator=(any_model const&) = delete;
    virtual ~any_model() = default;
    virtual void assign(feature_table rows) = 0;
    virtual void append(feature_table const& rows) = 0;
    [[nodiscard]] virtual feature_table const& table() const = 0;
    virtual void fit(feature_table const& points, std::span<double const> values,
                     std::span<double const> variance, random_engine& engine) = 0;
    virtual void learn(feature_table const& points, std::span<double const> values,
                       std::span<double const> variance, random_engine& engine) = 0;
    virtual void observe(feature_table const& from, std::size_t row, double value,
                         double variance) = 0;
    virtual void observe(std::size_t row, double value, double variance) = 0;
    virtual void push(feature_table const& from, std::size_t row, double value) = 0;
    virtual void push(std::size_t row, double value) = 0;
    virtual void pop() = 0;
    [[nodiscard]] virtual Eigen::ArrayXd const& mean() = 0;
    [[nodiscard]] virtual Eigen::ArrayXd const& variance() = 0;
    virtual void covariance(std::size_t row, Eigen::ArrayXd& out) = 0;
};

template <resident_surrogate M>
class model_of final : public any_model {
public:
    template <class... Args>
    explicit model_of(Args const&... args)
        : held_(args...)
    {
    }
    void assign(feature_table rows) override { held_.assign(std::move(rows)); }
    void append(feature_table const& rows) override { held_.append(rows); }
    [[nodiscard]] feature_table const& table() const override { return held_.table(); }
    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine) override
    {
        held_.fit(points, values, variance, engine);
    }
    void learn(feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine& engine) override
    {
        held_.learn(points, values, variance, engine);
    }
    void observe(feature_table const& from, std::size_t row, double value, double variance) override
    {
        held_.observe(from, row, value, variance);
    }
    void observe(std::size_t row, double value, double variance) override
    {
        held_.observe(row, value, variance);
    }
    void push(feature_table const& from, std::size_t row, double value) override
    {
        held_.push(from, row, value);
    }
    void push(std::size_t row, double value) override { held_.push(row, value); }
    void pop() override { held_.pop(); }
    [[nodiscard]] Eigen::ArrayXd const& mean() override { return held_.mean(); }
    [[nodiscard]] Eigen::ArrayXd const& variance() override { return held_.variance(); }
    void covariance(std::size_t row, Eigen::ArrayXd& out) override { held_.covariance(row, out); }

private:
    M held_;
};

/// A surrogate `M` made of the arguments.
template <resident_surrogate M, class... Args>
[[nodiscard]] std::unique_ptr<any_model> make_model(Args const&... args)
{
    return std::make_unique<model_of<M>>(args...);
}

class warm_start;

/// Learns where points fail: see the concept `feasibility`.
struct failure_table {
    double (*label)(bool worked) = nullptr;
    double (*chance)(double mean, double variance) = nullptr;
    std::unique_ptr<any_model> (*make)(feature_map const& features) = nullptr; ///< null: no model
};

/// The table through which the loop of a search calls surrogate, feasibility, acquisition and
/// design, each function at most once per choice or outcome.
class search_parts {
public:
    search_parts() = default;
    search_parts(search_parts const&) = delete;
    search_parts& operator=(search_parts const&) = delete;
    virtual ~search_parts() = default;

    /// @param known  models of other sessions; null: none
    [[nodiscard]] virtual std::unique_ptr<any_model>
    objective(feature_map const& features, std::shared_ptr<warm_start const> const& known) = 0;
    /// Returns true if objective() reads `known`.
    [[nodiscard]] virtual bool expects_sessions() const = 0;
    [[nodiscard]] virtual failure_table failures() const = 0;

    [[nodiscard]] virtual std::vector<scored_row> best_rows(scored_candidates const& among,
                                                            std::size_t count) const = 0;
    /// Returns true if the acquisition has prepare(), and observe().
    [[nodiscard]] virtual bool is_prepared() const = 0;
    [[nodiscard]] virtual bool observes() const = 0;
    virtual void prepare(scored_candidates const& among, search_progress const& so_far) = 0;
    virtual void chose(point const& p) = 0;
    virtual void observe(point const& p, double value) = 0;

    /// Constructs the design.
    virtual void plan(chain_of_trees const& space, design_options options,
                      random_engine& engine) = 0;
    [[nodiscard]] virtual bool has_plan() const = 0;
    [[nodiscard]] virtual std::optional<point> next(unseen_points const& unseen, std::size_t worked,
                                                    std::size_t pending, random_engine& engine) = 0;
};

template <class Surrogate, class Feasibility, class Acquisition, class Design>
class search_parts_of final : public search_parts {
public:
    search_parts_of(Acquisition acquire, surrogate_settings<Surrogate> settings)
        : acquire_(std::move(acquire))
        , settings_(std::move(settings))
    {
    }

    [[nodiscard]] std::unique_ptr<any_model>
    objective(feature_map const& features,
              [[maybe_unused]] std::shared_ptr<warm_start const> const& known) override
    {
        if constexpr (reads_sessions)
            return make_model<model>(features, known);
        else if constexpr (!std::same_as<surrogate_settings<Surrogate>, no_settings>)
            return make_model<model>(features, settings_);
        else
            return make_model<model>(features);
    }
    [[nodiscard]] bool expects_sessions() const override { return reads_sessions; }
    [[nodiscard]] failure_table failures() const override
    {
        if constexpr (std::same_as<Feasibility, no_feasibility>)
            return {};
        else
            return {[](bool worked) -> double { return Feasibility::label(worked); },
                    [](double mean, double variance) -> double {
                        return Feasibility::chance(mean, variance);
                    },
                    [](feature_map const& features) {
                        return make_model<candidate_model<typename Feasibility::surrogate_type>>(
                            features);
                    }};
    }

    [[nodiscard]] std::vector<scored_row> best_rows(scored_candidates const& among,
                                                    std::size_t count) const override
    {
        return detail::best_rows(among, count, acquire_);
    }
    [[nodiscard]] bool is_prepared() const override { return has_prepare; }
    [[nodiscard]] bool observes() const override { return has_observe; }
    void prepare([[maybe_unused]] scored_candidates const& among,
                 [[maybe_unused]] search_progress const& so_far) override
    {
        if constexpr (has_prepare) acquire_.prepare(among, so_far);
    }
    void chose([[maybe_unused]] point const& p) override
    {
        if constexpr (requires { acquire_.chose(p); }) acquire_.chose(p);
    }
    void observe([[maybe_unused]] point const& p, [[maybe_unused]] double value) override
    {
        if constexpr (has_observe) acquire_.observe(p, value);
    }

    void plan(chain_of_trees const& space, design_options options, random_engine& engine) override
    {
        design_.emplace(space, std::move(options), engine);
    }
    [[nodiscard]] bool has_plan() const override { return design_.has_value(); }
    [[nodiscard]] std::optional<point> next(unseen_points const& unseen, std::size_t worked,
                                            std::size_t pending, random_engine& engine) override
    {
        return design_->next(unseen, worked, pending, engine);
    }

private:
    using model = candidate_model<Surrogate>;
    static constexpr bool reads_sessions =
        std::constructible_from<model, feature_map const&,
                                std::shared_ptr<warm_start const> const&>;
    static constexpr bool has_prepare =
        requires(Acquisition a, scored_candidates const& c) { a.prepare(c, search_progress{}); };
    static constexpr bool has_observe =
        requires(Acquisition a, point const& p, double value) { a.observe(p, value); };

    Acquisition acquire_;
    surrogate_settings<Surrogate> settings_;
    std::optional<Design> design_;
};

} // namespace attune::inline ATTUNE_ABI::detail
