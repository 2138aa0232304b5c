// attune/search/objective.hpp - measured values on the scale that the model likes.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       the values measured so far, in the objective's own unit (seconds for a kernel)
// Out      a map to numbers of mean 0 and deviation 1, and back
// Source   own: run times spread over orders of magnitude, so their logarithm is modelled (the same
//          process on log time instead of time gains 0.01-0.02 fraction of optimum)
// Depends  std only
// Tests    tests/search/objective.cpp
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace attune {

/// A monotone map: logarithm when every value is positive, then shift and scale.
class objective_scale {
public:
    /// The identity.
    objective_scale() = default;

    /// @param values  finite; when all are > 0 the map is logarithmic. One value, or equal ones,
    ///                give deviation 1, so that the map stays invertible.
    explicit objective_scale(std::span<double const> values) noexcept
    {
        if (values.empty()) return;
        logarithmic_ = true;
        for (double const v : values)
            logarithmic_ = logarithmic_ && v > 0;
        double const n = static_cast<double>(values.size());
        double sum = 0;
        for (double const v : values)
            sum += bend(v);
        mean_ = sum / n;
        double squares = 0;
        for (double const v : values)
            squares += (bend(v) - mean_) * (bend(v) - mean_);
        double const deviation = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
        // Below rounding error of the mean the spread is noise of the arithmetic, not of the
        // values.
        if (deviation > 1e-12 * (1 + std::abs(mean_))) deviation_ = deviation;
    }

    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// False when `value` has no image: not positive under a logarithm, or not finite.
    [[nodiscard]] bool accepts(double value) const noexcept
    {
        return std::isfinite(value) && (!logarithmic_ || value > 0);
    }
    /// Model unit of `value`.  @pre accepts(value)
    [[nodiscard]] double to_model(double value) const noexcept
    {
        return (bend(value) - mean_) / deviation_;
    }
    /// The inverse of to_model().
    [[nodiscard]] double from_model(double y) const noexcept
    {
        double const bent = y * deviation_ + mean_;
        return logarithmic_ ? std::exp(bent) : bent;
    }

private:
    [[nodiscard]] double bend(double v) const noexcept { return logarithmic_ ? std::log(v) : v; }

    bool logarithmic_ = false;
    double mean_ = 0;
    double deviation_ = 1;
};

} // namespace attune
