// attune/search/transfer/source_model.hpp - what another session's outcomes say of any configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/bayes/objective_options.hpp>
#include <attune/search/transfer/translate.hpp>

#include <Eigen/Core>

#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// A process of the outcomes that worked and, where some failed, one of what works.
class source_model {
public:
    /// Variance of standardised values by which an outcome there is taken to differ from the
    /// outcome here: in the prior mean, and where a portfolio is chosen. A portfolio is all that is
    /// known when its first configuration is tried, so a single good outcome counts less there than
    /// good surroundings: on recorded kernels the first configuration reached 0.71 of the optimum
    /// with 0, 0.73 with 0.03 and 0.75 with 0.1. In the mean, 0.1 loses 0.01 after 40 evaluations.
    static constexpr double discrepancy = 0.03;
    static constexpr double first_discrepancy = 0.1;

    /// @param features  of the space at hand
    /// @param session   an outcome at least worked
    /// Cost   a fit of hyperparameters, two where something failed
    source_model(feature_map const& features, translated_session const& session,
                 objective_options const& objective);

    /// Whether values are logarithms.
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// What is expected at each row, in the unit of the (logarithms of the) values, less centre(),
    /// and how unsure that is: the variance, in that unit squared.
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const;
    [[nodiscard]] double centre() const noexcept { return centre_; }
    /// The mean with first_discrepancy.
    [[nodiscard]] Eigen::ArrayXd predict_first(feature_table const& points) const;
    /// Of the values, what no function explains: in that unit squared.
    [[nodiscard]] double noise() const noexcept { return values_.hyper().noise() * unit_ * unit_; }
    /// How likely each row works.
    [[nodiscard]] Eigen::ArrayXd chance(feature_table const& points) const;
    /// Those that explain the outcomes, values standardised.
    [[nodiscard]] gp::hyperparameter_vector const& hyper() const noexcept
    {
        return values_.hyper();
    }

private:
    gp::process values_;
    gp::process first_; ///< of the same values, with first_discrepancy
    std::optional<gp::process> labels_;
    double unit_ = 1;
    double centre_ = 0;
    bool logarithmic_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/source_model.ipp>
#endif
