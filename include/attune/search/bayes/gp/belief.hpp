// attune/search/bayes/gp/belief.hpp - the prior densities of hyperparameters.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.2: gamma densities on length scales, "or log-normal", without shape and
//          rate; the numbers here are ours
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Independent densities, wide enough that thirty observations outweigh them. Distances are
/// normalised to [0, 1] and values standardised, so one set serves every space.
struct belief {
    enum class density : std::uint8_t {
        log_normal,
        gamma, ///< of length scales only
        flat,  ///< none: maximum likelihood, from the mode that the log-normal one would have
    };

    density length = density::log_normal;
    density rest = density::log_normal; ///< of signal, noise and base: log-normal or flat
    double length_median = 0.6;         ///< log-normal: of parameters
    double length_sd = 1.0;             ///< log-normal: of the logarithm
    /// The same for derived features. With a longer median and a narrower density, a derived
    /// feature has an effect only if the data show one, so that a useless one costs little.
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

    /// The same beliefs, moved by `share` of the way to normal densities of the given mean and
    /// deviation for every hyperparameter but the signal: its unit is that of the values at hand.
    /// Gamma densities of length scales stay.
    /// @param centre     of as many features
    /// @param deviation  of each logarithm
    /// @param share      0: nothing is moved; 1: all the way
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
    /// The same beliefs but for the most likely signal variance.
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
        Eigen::ArrayXd const z =
            (theta.segment(first, normal).array() - mean_.segment(first, normal)) /
            sd_.segment(first, normal);
        if (gradient != nullptr)
            gradient->segment(first, normal).array() -= z / sd_.segment(first, normal);
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
        theta = theta.array().max(low_).min(high_).matrix();
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

} // namespace attune::inline ATTUNE_ABI::detail::gp
