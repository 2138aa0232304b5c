// attune/search/bayes/model/remaining_gain.hpp - the expected improvement by the best candidate.
// SPDX-License-Identifier: MIT
//
// The expected regret that Makarova et al. 2022 bound to stop a search. Candidates are correlated:
// separate estimates of thousands would add up to an impossible gain, so their joint posterior is
// used.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/objective.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// A standard normal number (Box and Muller 1958).
[[nodiscard]] inline double standard_normal(random_engine& engine)
{
    double const u = std::max(uniform_unit(engine), 0x1.0p-53);
    double const v = uniform_unit(engine);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// The mean over `draws` of the gain by the best candidate.
///
/// @param mean        q, in model units
/// @param covariance  q x q, of the noise-free function; what rounding takes from positive
/// @param covariance  q x q, of the noise-free function; its diagonal is increased if rounding has
///                    made it indefinite
/// @param chance      q: probability that each candidate works
/// @param best        lowest value so far, in the objective's own unit
/// @return  a share of `best` where `scale` is logarithmic, else in the objective's unit; >= 0
/// Cost     q^3 / 3 + draws * q^2
[[nodiscard]] inline double remaining_gain(Eigen::VectorXd const& mean, Eigen::MatrixXd covariance,
                                           std::span<double const> chance, double best,
                                           objective_scale const& scale, random_engine& engine,
                                           int draws = 512)
{
    if (mean.size() == 0) return 0;
    Eigen::LLT<Eigen::MatrixXd> factor;
    for (double jitter = 1e-9; jitter < 1; jitter *= 10) {
        covariance.diagonal().array() += jitter;
        factor.compute(covariance);
        if (factor.info() == Eigen::Success) break;
    }
    if (factor.info() != Eigen::Success) return 0;
    Eigen::MatrixXd const lower = factor.matrixL();
    double total = 0;
    Eigen::VectorXd normal(mean.size());
    for (int d = 0; d < draws; ++d) {
        for (double& v : normal)
            v = standard_normal(engine);
        Eigen::VectorXd const values = mean + lower * normal;
        double lowest = std::numeric_limits<double>::infinity();
        for (Eigen::Index i = 0; i < values.size(); ++i)
            if (uniform_unit(engine) < chance[static_cast<std::size_t>(i)])
                lowest = std::min(lowest, values[i]);
        if (std::isfinite(lowest)) total += std::max(0.0, best - scale.from_model(lowest));
    }
    double const gain = total / draws;
    return scale.logarithmic() ? gain / best : gain;
}

} // namespace attune::inline ATTUNE_ABI::detail
