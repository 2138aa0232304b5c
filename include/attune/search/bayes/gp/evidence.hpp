// attune/search/bayes/gp/evidence.hpp - the log marginal likelihood of hyperparameters, and its gradient.
// SPDX-License-Identifier: MIT
// Source   Rasmussen & Williams 2006 eq. (2.30) and (5.9): d/dt = 1/2 tr((a a^T - K^-1) dK/dt).
//          Own: the derivative by a length scale depends only on levels, so pair weights are first
//          summed by level, and no derivative matrix is formed.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/design.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

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
    /// @return  minus infinity (and a zero gradient) where the matrix cannot be factorised
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

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/evidence.ipp>
#endif
