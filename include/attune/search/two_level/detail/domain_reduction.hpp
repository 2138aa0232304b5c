// attune/search/two_level/detail/domain_reduction.hpp - a window around the best that narrows as it settles.
// SPDX-License-Identifier: MIT
// Source   Stander and Craig 2002 (sequential domain reduction) as the package bayesian-optimization
//          has it, which Rocke 2024 Sec. 3.3.1 uses
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct reduction_constants {
    double oscillation = 0.7; ///< gamma_osc: the window where the best goes to and fro
    double panning = 1.0;     ///< gamma_pan: where it moves on in one direction
    double zoom = 0.9;        ///< eta: where it stays
};

/// One window per parameter, in ranks: 0 to `largest`.
class domain_reduction {
public:
    explicit domain_reduction(std::vector<double> largest, reduction_constants constants = {})
        : constants_(constants)
        , largest_(std::move(largest))
    {
        for (double const most : largest_)
            sides_.push_back({most / 2, most, 0});
    }

    /// The best is at `best` now: one rank per parameter.
    void move_to(std::span<double const> best)
    {
        for (std::size_t k = 0; k < sides_.size(); ++k) {
            side& s = sides_[k];
            // d_k, c, gamma and lambda of the paper.
            double const step = s.width > 0 ? 2 * (best[k] - s.centre) / s.width : 0;
            double const product = step * s.step;
            double const turn = std::copysign(std::sqrt(std::abs(product)), product);
            double const gamma =
                ((1 + turn) * constants_.panning + (1 - turn) * constants_.oscillation) / 2;
            double const shrink = constants_.zoom + std::abs(step) * (gamma - constants_.zoom);
            s = {best[k], shrink * s.width, step};
        }
    }
    /// The window is at least one rank to each side.
    [[nodiscard]] double low(std::size_t k) const noexcept
    {
        return std::max(0.0, sides_[k].centre - reach(k));
    }
    [[nodiscard]] double high(std::size_t k) const noexcept
    {
        return std::min(largest_[k], sides_[k].centre + reach(k));
    }

private:
    struct side {
        double centre = 0;
        double width = 0;
        double step = 0; ///< of the last move, in half widths
    };

    [[nodiscard]] double reach(std::size_t k) const noexcept
    {
        return std::max(1.0, sides_[k].width / 2);
    }

    reduction_constants constants_;
    std::vector<double> largest_;
    std::vector<side> sides_;
};

} // namespace attune::inline ATTUNE_ABI::detail
