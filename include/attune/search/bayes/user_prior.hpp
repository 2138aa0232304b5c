// attune/search/bayes/user_prior.hpp - the user's prior as a weight of a point.
// SPDX-License-Identifier: MIT
// Source   Hvarfner et al. 2022 (piBO), eq. (6): acquisition times prior^(beta / n)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind/scale.hpp>
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
            if (prior.weights.empty() && !(prior.deviation > 0)) continue;
            believed_.push_back(i);
            if_inactive_.push_back(
                space.parameters[i].is_conditional() ? log_mean_weight(space.parameters[i]) : 0);
        }
    }

    /// True without any prior: every weight is 1.
    [[nodiscard]] bool is_flat() const noexcept { return believed_.empty(); }

    /// Sum over parameters of log weight, or of -z^2 / 2 for a normal density, where z is the
    /// distance from `centre` in deviations (of logarithms on a log scale). A weight that is not
    /// positive counts as 1e-12: a prior is no constraint. An inactive parameter counts as the mean
    /// weight of its values.
    [[nodiscard]] double log_weight(point const& p) const
    {
        double total = 0;
        for (std::size_t k = 0; k < believed_.size(); ++k)
            total += is_active(*space_, believed_[k], p)
                         ? log_weight_of(space_->parameters[believed_[k]], p[believed_[k]])
                         : if_inactive_[k];
        return total;
    }

private:
    [[nodiscard]] static double log_weight_of(parameter_description const& parameter, coordinate at)
    {
        prior_description const& prior = parameter.prior;
        if (at.index < prior.weights.size())
            return std::log(std::max(prior.weights[at.index], 1e-12));
        if (!(prior.deviation > 0)) return 0;
        double value = number_at(parameter, at).as_real();
        double centre = prior.centre;
        if (parameter.on == scale::log && value > 0 && centre > 0) {
            value = std::log(value);
            centre = std::log(centre);
        }
        double const z = (value - centre) / prior.deviation;
        return -0.5 * z * z;
    }

    /// The logarithm of the mean weight; of a long table, of an interval, at 1024 places of it.
    [[nodiscard]] static double log_mean_weight(parameter_description const& parameter)
    {
        std::uint32_t const values = parameter.value_count();
        std::uint32_t const places = values == 0 ? 1024 : std::min(values, std::uint32_t{1024});
        double sum = 0;
        for (std::uint32_t i = 0; i < places; ++i) {
            coordinate at;
            if (values == 0)
                at.real = scale_value(parameter, (i + 0.5) / places);
            else
                at.index = static_cast<std::uint32_t>(std::uint64_t{values} * i / places);
            sum += std::exp(log_weight_of(parameter, at));
        }
        return std::log(std::max(sum / places, 1e-12));
    }

    description const* space_;
    std::vector<std::uint32_t> believed_;
    std::vector<double> if_inactive_; // parallel to believed_
};

} // namespace attune::inline ATTUNE_ABI::detail
