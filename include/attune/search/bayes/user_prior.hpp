// attune/search/bayes/user_prior.hpp - the user's prior as a weight of a point.
// SPDX-License-Identifier: MIT
// Source   Hvarfner et al. 2022 (piBO), eq. (6): acquisition times prior^(beta / n)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The product of the priors of all parameters that have one.
class user_prior {
public:
    /// @param space  bound; must outlive this object
    explicit user_prior(description const& space)
        : space_(&space)
    {
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
            prior_description const& prior = space.parameters[i].prior;
            if (!prior.weights.empty() || prior.deviation > 0) believed_.push_back(i);
        }
    }

    /// True without any prior: every weight is 1.
    [[nodiscard]] bool is_flat() const noexcept { return believed_.empty(); }

    /// Sum over parameters of log weight, or of -z^2 / 2 for a normal density, where z is the
    /// distance from `centre` in deviations (of logarithms on a log scale). A weight that is not
    /// positive counts as 1e-12: a prior is no constraint.
    [[nodiscard]] double log_weight(point const& p) const
    {
        double total = 0;
        for (std::uint32_t const i : believed_) {
            parameter_description const& parameter = space_->parameters[i];
            prior_description const& prior = parameter.prior;
            if (p[i].index < prior.weights.size()) {
                total += std::log(std::max(prior.weights[p[i].index], 1e-12));
                continue;
            }
            if (!(prior.deviation > 0)) continue;
            double value = number_at(parameter, p[i]).as_real();
            double centre = prior.centre;
            if (parameter.on == scale::log && value > 0 && centre > 0) {
                value = std::log(value);
                centre = std::log(centre);
            }
            double const z = (value - centre) / prior.deviation;
            total -= 0.5 * z * z;
        }
        return total;
    }

private:
    description const* space_;
    std::vector<std::uint32_t> believed_;
};

} // namespace attune::inline ATTUNE_ABI::detail
