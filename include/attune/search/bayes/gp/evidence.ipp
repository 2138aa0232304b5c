// attune/search/bayes/gp/evidence.ipp - assembles, factorises and differentiates the covariance; climbs to the maximum.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/evidence.hpp>

#include <numbers>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::gp {

inline void evaluate_matern(smoothness s, Eigen::ArrayXd const& r2, Eigen::ArrayXd& k,
                            Eigen::ArrayXd& dk)
{
    if (s == smoothness::matern52)
        matern52::evaluate(r2, k, dk);
    else
        matern32::evaluate(r2, k, dk);
}

ATTUNE_INLINE
evidence::evidence(design const& points, kernel k, Eigen::VectorXd values, Eigen::VectorXd variance,
                   Eigen::MatrixXd fixed)
    : points_(points)
    , kernel_(k)
    , values_(std::move(values))
    , variance_(std::move(variance))
    , fixed_(std::move(fixed))
    , tables_(points.features.size())
{
}

ATTUNE_INLINE void evidence::fill_tables(hyperparameter_vector const& h, bool with_gradient)
{
    double const base = h.base();
    for (std::size_t f = 0; f < tables_.size(); ++f) {
        Eigen::MatrixXd const& squared = points_.features[f].squared;
        Eigen::Index const levels = squared.rows();
        level_table& table = tables_[f];
        double const weight = std::exp(-2.0 * h.theta[static_cast<Eigen::Index>(f)]);
        if (kernel_.form == kernel_form::radial) {
            table.factor = weight * squared;
            continue;
        }
        r2_ = weight * squared.reshaped().array();
        evaluate_matern(kernel_.matern, r2_, k_, dk_);
        table.factor.resize(levels, levels);
        auto factor = table.factor.reshaped().array();
        factor = base + (1.0 - base) * k_;
        if (!with_gradient) continue;
        table.by_length.resize(levels, levels);
        table.by_base.resize(levels, levels);
        // d r2 / d log length = -2 r2
        table.by_length.reshaped().array() = (-2.0 * (1.0 - base)) * r2_ * dk_ / factor;
        table.by_base.reshaped().array() = (1.0 - k_) / factor;
    }
}

/// Computes covariance_, and slope_ for the radial form.
ATTUNE_INLINE void evidence::assemble(hyperparameter_vector const& h, bool with_gradient)
{
    Eigen::Index const n = points_.points;
    double const signal = h.signal();
    bool const product = kernel_.form == kernel_form::product;
    covariance_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        double* const column = &covariance_(0, j);
        for (Eigen::Index i = j; i < n; ++i)
            column[i] = product ? signal : 0.0;
        std::size_t f = 0;
        auto const row_of = [&](std::size_t g) {
            return &tables_[g].factor(0, points_.features[g].code[static_cast<std::size_t>(j)]);
        };
        // Two features per pass halve the loads and stores of the column.
        for (; f + 1 < tables_.size(); f += 2) {
            double const* const row_a = row_of(f);
            double const* const row_b = row_of(f + 1);
            std::uint32_t const* const a = points_.features[f].code.data();
            std::uint32_t const* const b = points_.features[f + 1].code.data();
            if (product)
                for (Eigen::Index i = j + 1; i < n; ++i)
                    column[i] *= row_a[a[i]] * row_b[b[i]];
            else
                for (Eigen::Index i = j + 1; i < n; ++i)
                    column[i] += row_a[a[i]] + row_b[b[i]];
        }
        if (f < tables_.size()) {
            double const* const row = row_of(f);
            std::uint32_t const* const code = points_.features[f].code.data();
            for (Eigen::Index i = j + 1; i < n; ++i)
                column[i] = product ? column[i] * row[code[i]] : column[i] + row[code[i]];
        }
    }
    if (product) return;
    if (with_gradient) slope_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::Index const length = n - j;
        r2_ = covariance_.col(j).tail(length).array();
        evaluate_matern(kernel_.matern, r2_, k_, dk_);
        covariance_.col(j).tail(length) = (signal * k_).matrix();
        if (with_gradient) slope_.col(j).tail(length) = (signal * dk_).matrix();
    }
}

ATTUNE_INLINE double evidence::operator()(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient)
{
    hyperparameter_vector const h{theta};
    Eigen::Index const n = points_.points;
    Eigen::Index const d = h.features();
    double const noise = h.noise();
    if (gradient != nullptr) gradient->setZero(theta.size());

    fill_tables(h, gradient != nullptr);
    assemble(h, gradient != nullptr);
    for (Eigen::Index i = 0; i < n; ++i) {
        covariance_(i, i) += noise;
        if (variance_.size() == n) covariance_(i, i) += variance_[i];
    }
    if (fixed_.rows() == n) total_ = covariance_ + fixed_;
    std::optional<double> const jitter = jittered_inverse(fixed_.rows() == n ? total_ : covariance_,
                                                          factor_, inverse_factor_, scratch_);
    if (!jitter) return -std::numeric_limits<double>::infinity();

    auto const inverse_factor = std::as_const(inverse_factor_).triangularView<Eigen::Lower>();
    Eigen::VectorXd const beta = inverse_factor * values_;
    double const value = -0.5 * beta.squaredNorm() - factor_.diagonal().array().log().sum() -
                         0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
    if (gradient == nullptr) return value;

    Eigen::VectorXd const alpha = inverse_factor.transpose() * beta;
    inverse_from_factor(inverse_factor_, inverse_);
    // inverse_ becomes W * dK, below the diagonal, with W = alpha alpha^T - K^-1.
    double on_diagonal = 0;
    double pairs = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::Index const below = n - j - 1;
        double const here = alpha[j] * alpha[j] - inverse_(j, j);
        on_diagonal += here;
        auto weight = inverse_.col(j).tail(below).array();
        weight = alpha[j] * alpha.tail(below).array() - weight;
        if (kernel_.form == kernel_form::radial) {
            pairs += (weight * covariance_.col(j).tail(below).array()).sum();
            weight *= slope_.col(j).tail(below).array();
        } else {
            weight *= covariance_.col(j).tail(below).array();
            pairs += weight.sum();
        }
    }
    add_feature_gradients(h, *gradient);
    (*gradient)[d] = 0.5 * h.signal() * on_diagonal + pairs;
    (*gradient)[d + 1] = 0.5 * noise * on_diagonal;
    return value;
}

/// Adds the derivatives by log lengths and logit base; the weights of pairs are in inverse_.
ATTUNE_INLINE void evidence::add_feature_gradients(hyperparameter_vector const& h,
                                                   Eigen::VectorXd& gradient)
{
    Eigen::Index const n = points_.points;
    bool const product = kernel_.form == kernel_form::product;
    double by_base = 0;
    for (std::size_t f = 0; f < tables_.size(); ++f) {
        std::uint32_t const* const code = points_.features[f].code.data();
        Eigen::MatrixXd const& table = product ? tables_[f].by_length : tables_[f].factor;
        Eigen::MatrixXd const& other = product ? tables_[f].by_base : tables_[f].factor;
        double by_length = 0;
        double here = 0;
        if (Eigen::Index const levels = table.rows(); 4 * levels <= n) {
            // First the sums over columns j of equal level, then over rows i.
            by_level_.setZero(n, levels);
            for (Eigen::Index j = 0; j + 1 < n; ++j)
                by_level_.col(code[j]).tail(n - j - 1) += inverse_.col(j).tail(n - j - 1);
            for (Eigen::Index b = 0; b < levels; ++b) {
                double const* const weight = &by_level_(0, b);
                double const* const row = &table(0, b);
                double const* const base_row = &other(0, b);
                for (Eigen::Index i = 0; i < n; ++i) {
                    by_length += weight[i] * row[code[i]];
                    here += weight[i] * base_row[code[i]];
                }
            }
        } else {
            for (Eigen::Index j = 0; j + 1 < n; ++j) {
                double const* const weight = &inverse_(0, j);
                double const* const row = &table(0, code[j]);
                double const* const base_row = &other(0, code[j]);
                for (Eigen::Index i = j + 1; i < n; ++i) {
                    by_length += weight[i] * row[code[i]];
                    here += weight[i] * base_row[code[i]];
                }
            }
        }
        gradient[static_cast<Eigen::Index>(f)] = product ? by_length : -2.0 * by_length;
        by_base += here;
    }
    double const base = h.base();
    if (product) gradient[h.features() + 2] = by_base * base * (1.0 - base);
}

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
            add_scaled(out.size(), -weights[at], &changes_(0, at), out.data());
        }
        for (double& v : out)
            if (known > 0) v /= curvature_;
        for (Eigen::Index i = count_ - known; i < count_; ++i) {
            Eigen::Index const at = i % memory;
            double const share = weights[at] - changes_.col(at).dot(out) / products_[at];
            add_scaled(out.size(), share, &steps_(0, at), out.data());
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
