// attune/search/bayes/gp/evidence.hpp - the prior of hyperparameters, their evidence, the maximum of the posterior.
// SPDX-License-Identifier: MIT
// Source   priors: BaCO Sec. 3.2: gamma densities on length scales, "or log-normal", without shape
//          and rate; the numbers here are ours
// Source   Rasmussen & Williams 2006 eq. (2.30) and (5.9): d/dt = 1/2 tr((a a^T - K^-1) dK/dt).
//          Own: the derivative by a length scale depends only on levels, so pair weights are first
//          summed by level, and no derivative matrix is formed.
// Source   L-BFGS: Nocedal & Wright 2006, Algorithm 7.4. Own: steps are limited to 2 (a factor of
//          7) and projected into the box, and a descent ends at the first step with little gain,
//          because each evaluation is expensive. Solvers of libraries end by the gradient or after
//          a strong Wolfe line search, which need more evaluations.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Independent densities, wide enough that thirty observations outweigh them. Distances are
/// normalised to [0, 1] and values standardised, so one set serves every space.
struct belief {
    enum class density : std::uint8_t {
        log_normal,
        gamma, ///< of length scales only
        flat,  ///< no density: maximum likelihood; its start is the log-normal's mode
    };

    density length = density::log_normal;
    density rest = density::log_normal; ///< of signal, noise and base: log-normal or flat
    double length_median = 0.6;         ///< log-normal: median for parameters
    double length_sd = 1.0;             ///< log-normal: of the logarithm
    /// Median for derived features. With a longer median and a narrower density, a derived feature
    /// has an effect only if the data show one. So a useless feature costs little.
    double derived_length_median = 0.6;
    double derived_length_sd = 1.0;
    double length_shape = 1.5; ///< gamma: most likely logarithm log(shape / rate)
    double length_rate = 1.0;
    double signal_median = 1.0; ///< log-normal
    double signal_sd = 1.0;
    double noise_median = 1e-3; ///< log-normal
    double noise_sd = 1.5;
    double base_median = 0.3; ///< logit-normal
    double base_sd = 1.0;
};

/// The densities for d features.
class hyper_density {
public:
    /// @param derived  d: not 0 for derived features
    hyper_density(belief const& b, std::vector<char> const& derived)
        : features_(static_cast<Eigen::Index>(derived.size()))
        , gamma_(b.length == belief::density::gamma)
        , flat_lengths_(b.length == belief::density::flat)
        , flat_rest_(b.rest == belief::density::flat)
        , shape_(b.length_shape)
        , rate_(b.length_rate)
    {
        Eigen::Index const size = hyperparameter_vector::size(features_);
        mean_.resize(size);
        sd_.resize(size);
        low_.resize(size);
        high_.resize(size);
        for (Eigen::Index f = 0; f < features_; ++f) {
            bool const plain = derived[static_cast<std::size_t>(f)] == 0;
            double const median = plain ? b.length_median : b.derived_length_median;
            mean_[f] = std::log(gamma_ ? shape_ / rate_ : median);
            sd_[f] = plain ? b.length_sd : b.derived_length_sd;
        }
        mean_.tail<3>() << std::log(b.signal_median), std::log(b.noise_median),
            std::log(b.base_median / (1.0 - b.base_median));
        sd_.tail<3>() << b.signal_sd, b.noise_sd, b.base_sd;
        low_.head(features_ + 1).setConstant(std::log(0.02));
        high_.head(features_ + 1).setConstant(std::log(50.0));
        low_.tail<2>() << std::log(1e-5), -5.0;
        high_.tail<2>() << 0.0, 3.0;
    }

    [[nodiscard]] Eigen::Index features() const noexcept { return features_; }

    /// The same prior, moved by `share` of the way to normal densities of the given mean and
    /// deviation. The signal stays, because its unit is that of the values. Gamma densities stay,
    /// too.
    /// @param centre     of an equal number of features
    /// @param deviation  of each logarithm
    /// @param share      0: no change; 1: the whole way
    [[nodiscard]] hyper_density towards(hyperparameter_vector const& centre, double deviation,
                                        double share) const
    {
        hyper_density out = *this;
        for (Eigen::Index i = gamma_ ? features_ : 0; i < mean_.size(); ++i) {
            if (i == features_) continue;
            out.mean_[i] += share * (centre.theta[i] - mean_[i]);
            out.sd_[i] += share * (deviation - sd_[i]);
        }
        return out;
    }
    /// The same prior with another most likely signal variance.
    [[nodiscard]] hyper_density with_signal(double median) const
    {
        hyper_density out = *this;
        out.mean_[features_] = std::log(median);
        return out;
    }

    /// The most probable hyperparameters without data.
    [[nodiscard]] hyperparameter_vector mode() const { return {mean_.matrix()}; }

    /// log density of theta (d + 3) up to a constant; its gradient is added to `gradient` if given.
    /// The gamma density of l, as a density of t = log l, is shape t - rate e^t with the Jacobian.
    [[nodiscard]] double log_density(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient) const
    {
        bool const are_normal = !gamma_ && !flat_lengths_; // the length scales
        Eigen::Index const first = are_normal ? 0 : features_;
        Eigen::Index const normal = (flat_rest_ ? features_ : theta.size()) - first;
        Eigen::ArrayXd z(normal);
        for (Eigen::Index i = 0; i < normal; ++i) {
            z[i] = (theta[first + i] - mean_[first + i]) / sd_[first + i];
            if (gradient != nullptr) (*gradient)[first + i] -= z[i] / sd_[first + i];
        }
        double total = -0.5 * z.square().sum();
        for (Eigen::Index f = 0; gamma_ && f < features_; ++f) {
            double const length = std::exp(theta[f]);
            total += shape_ * theta[f] - rate_ * length;
            if (gradient != nullptr) (*gradient)[f] += shape_ - rate_ * length;
        }
        return total;
    }

    /// Moves theta into the box: lengths and signal in [0.02, 50], noise in [1e-5, 1], logit of the
    /// base in [-5, 3].
    void clamp(Eigen::VectorXd& theta) const
    {
        for (Eigen::Index i = 0; i < theta.size(); ++i)
            theta[i] = std::min(std::max(theta[i], low_[i]), high_[i]);
    }

private:
    Eigen::Index features_;
    bool gamma_;
    bool flat_lengths_;
    bool flat_rest_;
    double shape_;
    double rate_;
    Eigen::ArrayXd mean_, sd_, low_, high_; ///< d + 3
};

/// Evaluates the log marginal likelihood; keeps its work space between calls.
class evidence {
public:
    /// @param points    n points, d features; must outlive this object
    /// @param values    y: n, standardised
    /// @param variance  n, added to the noise of each value; or empty
    /// @param fixed     n x n, a covariance that no hyperparameter changes, added to K; or empty
    evidence(design const& points, kernel k, Eigen::VectorXd values, Eigen::VectorXd variance = {},
             Eigen::MatrixXd fixed = {});

    /// log N(y; 0, K + fixed + noise * identity + diag(variance)).
    ///
    /// @param theta          d + 3, see hyperparameter_vector
    /// @param[out] gradient  d + 3, resized; not computed when null
    /// @return  minus infinity, with a zero gradient, if the matrix cannot be factorised
    /// Cost     n^3 (2/3, with gradient 1) + 2 d n^2; allocates only when sizes grow
    [[nodiscard]] double operator()(Eigen::VectorXd const& theta, Eigen::VectorXd* gradient);

private:
    /// For pairs of levels of one feature under the present hyperparameters.
    struct level_table {
        Eigen::MatrixXd factor;    ///< product: base + (1 - base) M; radial: (distance / length)^2
        Eigen::MatrixXd by_length; ///< product: d log factor / d log length
        Eigen::MatrixXd by_base;   ///< product: d log factor / d base
    };

    void fill_tables(hyperparameter_vector const& h, bool with_gradient);
    void assemble(hyperparameter_vector const& h, bool with_gradient);
    void add_feature_gradients(hyperparameter_vector const& h, Eigen::VectorXd& gradient);

    design const& points_;
    kernel kernel_;
    Eigen::VectorXd values_;
    Eigen::VectorXd variance_;
    Eigen::MatrixXd fixed_;
    std::vector<level_table> tables_;
    Eigen::ArrayXd r2_, k_, dk_;
    Eigen::MatrixXd covariance_; ///< lower
    Eigen::MatrixXd total_;      ///< with fixed_, where that is not empty; lower
    Eigen::MatrixXd slope_;      ///< radial: signal * d M / d r2, lower
    Eigen::MatrixXd factor_, inverse_factor_, inverse_, scratch_;
    Eigen::MatrixXd by_level_; ///< n x levels
};

/// Options of maximise().
struct maximise_options {
    int iterations = 30; ///< of L-BFGS per start
    /// A start ends when an iteration gains less log density. Compared with 1e-7 this loses 0.01 on
    /// average over recorded kernels; 1e-3 costs a quarter more evaluations.
    double least_gain = 1e-2;
    bool from_prior = true;    ///< also starts at the prior's mode if there is a warm start
    int draws = 0;             ///< random hyperparameters evaluated if there is no warm start
    bool always_draws = false; ///< draws also with a warm start
    int refined = 1;           ///< number of these draws used as starts
};

struct maximum {
    hyperparameter_vector best;
    double log_density = -std::numeric_limits<double>::infinity(); ///< posterior, up to a constant
    int evaluations = 0;                                           ///< of the evidence
};

/// Climbs from the warm start and from the prior's mode; returns the higher maximum.
///
/// @param warm    hyperparameters of an earlier fit; null at the first fit
/// @param engine  source of the draws; unused without draws
/// @return  the mode of the prior when no evaluation succeeded
/// Cost     10 to 30 evaluations of the evidence per start
[[nodiscard]] maximum maximise(evidence& likelihood, hyper_density const& prior,
                               hyperparameter_vector const* warm, random_engine& engine,
                               maximise_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/evidence.ipp>
#endif
