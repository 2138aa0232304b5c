// attune/search/bayes/objective.hpp - transforms measured values to the scale of the model.
// SPDX-License-Identifier: MIT
// Source   own: run times differ by orders of magnitude, so their logarithm is modelled. Values far
//          above the median give little information on the optimum, but as outliers they would
//          determine deviation and length scales: beyond one span of (median - best) above the
//          median, only 0.3 of the excess counts. Unlike clipping, this keeps their order.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/bayesian_options.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A strictly monotone map: logarithm if every value is positive, bend, then shift and scale.
class objective_scale {
public:
    /// The identity.
    objective_scale() = default;

    /// @param values  finite; a single value or equal ones give deviation 1, so that the map is
    ///                invertible
    explicit objective_scale(std::span<double const> values, objective_options const& options = {})
        : slope_(options.bent_slope)
    {
        if (values.empty()) return;
        logarithmic_ = options.logarithm &&
                       std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
        std::vector<double> y;
        for (double const v : values)
            y.push_back(logarithmic_ ? std::log(v) : v);
        std::vector<double> sorted = y;
        std::sort(sorted.begin(), sorted.end());
        double const median = sorted[sorted.size() / 2];
        // If half of the values equal the best, there is no span.
        if (median > sorted.front())
            knee_ = median + options.bend_spans * (median - sorted.front());
        double const n = static_cast<double>(values.size());
        double sum = 0;
        for (double& v : y)
            sum += (v = bend(v));
        mean_ = sum / n;
        double squares = 0;
        for (double const v : y)
            squares += (v - mean_) * (v - mean_);
        double const deviation = y.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
        // A smaller spread is rounding error.
        if (deviation > 1e-12 * (1 + std::abs(mean_))) deviation_ = deviation;
        if (logarithmic_ && options.unit > 0) deviation_ = options.unit;
    }

    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// The model's unit, in that of the (logarithms of the) values.
    [[nodiscard]] double unit() const noexcept { return deviation_; }
    /// The 0 of the model's unit, before bending, in the unit of the (logarithms of the) values.
    [[nodiscard]] double centre() const noexcept { return mean_; }
    /// Returns false if `value` has no image: not positive under a logarithm, or not finite.
    [[nodiscard]] bool accepts(double value) const noexcept
    {
        return std::isfinite(value) && (!logarithmic_ || value > 0);
    }
    /// Model unit of `value`.  @pre accepts(value)
    [[nodiscard]] double to_model(double value) const noexcept
    {
        return (bend(logarithmic_ ? std::log(value) : value) - mean_) / deviation_;
    }
    /// The inverse of to_model().
    [[nodiscard]] double from_model(double y) const noexcept
    {
        double bent = y * deviation_ + mean_;
        if (bent > knee_) bent = knee_ + (bent - knee_) / slope_;
        return logarithmic_ ? std::exp(bent) : bent;
    }

    /// Variance of a measurement in model units, from its 95 % interval as that of a normal
    /// density. 0 if the interval is a single number or does not contain `value`.
    /// @pre accepts(value)
    [[nodiscard]] double variance_of(double value, double low, double high) const noexcept
    {
        if (!(low <= value && value <= high && low < high) || !accepts(low) || !accepts(high))
            return 0;
        double const deviation = (to_model(high) - to_model(low)) / (2 * 1.96);
        return deviation * deviation;
    }

private:
    [[nodiscard]] double bend(double y) const noexcept
    {
        return y > knee_ ? knee_ + slope_ * (y - knee_) : y;
    }

    bool logarithmic_ = false;
    double slope_ = 1;
    double knee_ = std::numeric_limits<double>::infinity();
    double mean_ = 0;
    double deviation_ = 1;
};

} // namespace attune::inline ATTUNE_ABI::detail
