// attune/search/bayes/model/any_model.hpp - any resident surrogate, behind one table of functions.
// SPDX-License-Identifier: MIT
// tested by search/bayes/model/learner.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The functions of a resident_surrogate. The loop of a search calls each once an outcome or a
/// batch of candidates.
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

} // namespace attune::inline ATTUNE_ABI::detail
