// attune/search/bayes/gp/maximise.ipp - several starts of L-BFGS.
// SPDX-License-Identifier: MIT
// Source   see maximise.hpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/maximise.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Minus the log posterior density; infinite where it cannot be evaluated.
class posterior_density {
public:
    posterior_density(evidence& likelihood, hyper_density const& prior)
        : likelihood_(likelihood)
        , prior_(prior)
    {
    }

    double operator()(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient)
    {
        ++evaluations;
        double value = likelihood_(theta, gradient) + prior_.log_density(theta, gradient);
        if (gradient != nullptr) *gradient = -*gradient;
        if (!std::isfinite(value) || (gradient != nullptr && !gradient->allFinite()))
            return std::numeric_limits<double>::infinity();
        return -value;
    }

    int evaluations = 0;

private:
    evidence& likelihood_;
    hyper_density const& prior_;
};

/// Approximates the inverse of the second derivatives from the last steps of a descent.
class inverse_curvature {
public:
    static constexpr Eigen::Index memory = 8; ///< steps

    explicit inverse_curvature(Eigen::Index size)
        : steps_(size, memory)
        , changes_(size, memory)
        , products_(memory)
    {
    }

    void clear() noexcept { count_ = 0; }
    /// @param change  of the gradient along `step`; their dot product is positive
    void add(Eigen::VectorXd const& step, Eigen::VectorXd const& change)
    {
        Eigen::Index const at = count_++ % memory;
        steps_.col(at) = step;
        changes_.col(at) = change;
        products_[at] = step.dot(change);
        curvature_ = change.squaredNorm() / products_[at];
    }
    /// The two loops of Algorithm 7.4: minus the inverse times the gradient; before any add(),
    /// minus the gradient.
    [[nodiscard]] Eigen::VectorXd direction(Eigen::VectorXd const& gradient) const
    {
        Eigen::VectorXd out = -gradient;
        Eigen::Index const known = std::min(count_, memory);
        Eigen::VectorXd weights(memory);
        for (Eigen::Index i = count_ - 1; i >= count_ - known; --i) {
            Eigen::Index const at = i % memory;
            weights[at] = steps_.col(at).dot(out) / products_[at];
            out -= weights[at] * changes_.col(at);
        }
        if (known > 0) out /= curvature_;
        for (Eigen::Index i = count_ - known; i < count_; ++i) {
            Eigen::Index const at = i % memory;
            out += (weights[at] - changes_.col(at).dot(out) / products_[at]) * steps_.col(at);
        }
        return out;
    }

private:
    Eigen::MatrixXd steps_;
    Eigen::MatrixXd changes_;
    Eigen::VectorXd products_; ///< dot products of step and change
    Eigen::Index count_ = 0;   ///< steps added so far
    double curvature_ = 1;     ///< of the last step
};

/// Descends from `theta` and sets it to the lowest point found. Returns the value there.
inline double descend(posterior_density& target, hyper_density const& prior, Eigen::VectorXd& theta,
                      maximise_options const& options)
{
    constexpr double longest_step = 2.0;
    constexpr int trials = 8;
    inverse_curvature curvature(theta.size());
    Eigen::VectorXd gradient;
    Eigen::VectorXd next;
    Eigen::VectorXd next_gradient;
    prior.clamp(theta);
    double value = target(theta, &gradient);
    if (!std::isfinite(value)) return value;
    for (int iteration = 0; iteration < options.iterations; ++iteration) {
        Eigen::VectorXd direction = curvature.direction(gradient);
        // Without curvature, the first step is at most half a unit long.
        if (iteration == 0) direction *= std::min(1.0, 0.5 / gradient.norm());
        if (!(direction.dot(gradient) < 0)) {
            direction = -gradient * std::min(1.0, 0.5 / gradient.norm());
            curvature.clear();
        }
        double const longest = direction.cwiseAbs().maxCoeff();
        if (!(longest > 0)) break;
        if (longest > longest_step) direction *= longest_step / longest;
        double next_value = 0;
        bool lower = false;
        for (int trial = 0; trial < trials && !lower; ++trial) {
            next = theta + direction;
            prior.clamp(next);
            next_value = target(next, &next_gradient);
            lower = next_value < value + 1e-4 * gradient.dot(next - theta);
            direction *= 0.35;
        }
        if (!lower) break;
        Eigen::VectorXd const step = next - theta;
        Eigen::VectorXd const change = next_gradient - gradient;
        if (step.dot(change) > 1e-10) curvature.add(step, change);
        double const gain = value - next_value;
        std::swap(theta, next);
        std::swap(gradient, next_gradient);
        value = next_value;
        if (gain < options.least_gain * std::max(1.0, 0.01 * std::abs(value))) break;
    }
    return value;
}

ATTUNE_INLINE maximum maximise(evidence& likelihood, hyper_density const& prior,
                               hyperparameter_vector const* warm, random_engine& engine,
                               maximise_options const& options)
{
    maximum result;
    result.best = prior.mode();
    posterior_density target(likelihood, prior);
    bool const is_warm = warm != nullptr && warm->theta.size() == result.best.theta.size();
    std::vector<Eigen::VectorXd> starts;
    if (is_warm) starts.push_back(warm->theta);
    if (!is_warm || options.from_prior) starts.push_back(result.best.theta);
    if ((!is_warm || options.always_draws) && options.draws > 0) {
        std::vector<Eigen::VectorXd> drawn;
        std::vector<std::pair<double, std::size_t>> order; // value, index
        for (int i = 0; i < options.draws; ++i) {
            Eigen::VectorXd theta = result.best.theta;
            for (Eigen::Index k = 0; k < theta.size(); ++k)
                theta[k] += 4.0 * uniform_unit(engine) - 2.0; // within a factor of 7 of the mode
            prior.clamp(theta);
            order.emplace_back(target(theta, nullptr), drawn.size());
            drawn.push_back(std::move(theta));
        }
        std::sort(order.begin(), order.end());
        order.resize(static_cast<std::size_t>(std::clamp(options.refined, 0, options.draws)));
        for (auto const& [value, which] : order)
            starts.push_back(std::move(drawn[which]));
    }
    for (Eigen::VectorXd& theta : starts) {
        double const value = descend(target, prior, theta, options);
        if (!(-value > result.log_density)) continue;
        result.log_density = -value;
        result.best.theta = std::move(theta);
    }
    result.evaluations = target.evaluations;
    return result;
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
