// attune/search/bayes/acquisition/contextual_variance.hpp - the amount of exploration, from the model's state.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-F, after Jasrasaria & Pyzer-Knapp 2018: lambda = (v /
//          (m_s / f_best)) / v_s
#pragma once

#include <attune/core/version.hpp>

#include <cmath>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps the model's state after the initial design and compares later states with it.
class contextual_variance {
public:
    /// The constant factor that works well in most cases according to Sec. III-F; used where the
    /// ratio is undefined.
    static constexpr double usual = 0.01;

    /// @param initial_variance  v_s: mean posterior variance over all configurations not evaluated,
    ///                          after the initial design
    /// @param initial_mean      m_s: mean of the values that worked then, in the objective's unit
    contextual_variance(double initial_variance, double initial_mean) noexcept
        : variance_(initial_variance)
        , mean_(initial_mean)
    {
    }

    /// The present factor; it shrinks with the remaining variance and with the best value.
    /// @param variance  posterior variance now, same mean as above
    /// @param best      lowest value so far, in the unit of `initial_mean`, not of the model: the
    ///                  ratio is only meaningful for positive run times
    /// @return  >= 0; `usual` when a value is not positive or not finite, because the formula
    ///          divides by the initial variance and takes a ratio of values
    [[nodiscard]] double factor(double variance, double best) const noexcept
    {
        double const improvement = mean_ / best;
        double const lambda = variance / improvement / variance_;
        bool const meaningful = variance >= 0 && variance_ > 0 && mean_ > 0 && best > 0;
        return meaningful && std::isfinite(lambda) ? lambda : usual;
    }

private:
    double variance_;
    double mean_;
};

} // namespace attune::inline ATTUNE_ABI::detail
