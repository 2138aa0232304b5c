// attune/search/local/nearest_estimate.hpp - estimates a value from nearby outcomes.
// SPDX-License-Identifier: MIT
// Source   k nearest neighbours, as in the generated HybridVNDX of Kernel Tuner; own: on ranks of
//          values instead of times, so that it has no unit and failures rank last
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/trials.hpp>
#include <attune/space/query/steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// 1 for each parameter in which two configurations differ, plus up to 1 for its distance: for
/// numbers by the places between them in the table or on the scale, for others always 1.
/// @param a, b  as with_inactive_marked() gives them, where parameters are conditional
[[nodiscard]] inline double rough_distance(description const& space, point const& a, point const& b)
{
    double sum = 0;
    for (std::size_t p = 0; p < a.size(); ++p) {
        if (a[p] == b[p]) continue;
        parameter_description const& parameter = space.parameters[p];
        double far = 1;
        if (a[p].index == no_index || b[p].index == no_index)
            far = 1; // only one is active
        else if (parameter.traits().is_interval)
            far = std::abs(scale_position(parameter, a[p].real) -
                           scale_position(parameter, b[p].real));
        else if (parameter.traits().is_ordered)
            far = std::abs(static_cast<double>(a[p].index) - static_cast<double>(b[p].index)) /
                  std::max(1.0, parameter.value_count() - 1.0);
        sum += 1 + far;
    }
    return sum;
}

/// Estimates from the last `most` outcomes before its construction.
class nearest_estimate {
public:
    /// @param space  must outlive this
    nearest_estimate(description const& space, std::span<valued_point const> told,
                     std::size_t most = 1000)
        : space_(&space)
    {
        told = told.last(std::min(told.size(), most));
        known_.assign(told.begin(), told.end());
        is_conditional_ = has_conditions(space);
        if (is_conditional_)
            for (valued_point& known : known_)
                known.where = with_inactive_marked(space, std::move(known.where));
        std::sort(known_.begin(), known_.end(),
                  [](valued_point const& a, valued_point const& b) { return a.value < b.value; });
        // Equal values share the rank of the first one.
        double rank = 0;
        for (std::size_t i = 0; i < known_.size(); ++i) {
            if (i > 0 && known_[i].value != known_[i - 1].value) rank = static_cast<double>(i);
            rank_.push_back(rank / static_cast<double>(known_.size()));
        }
    }

    /// The mean rank of the `count` nearest, weighted by inverse distance: 0: the best; 0.5 without
    /// any.
    /// Cost   one distance per outcome
    [[nodiscard]] double operator()(point const& p, std::size_t count = 5) const
    {
        point const marked = is_conditional_ ? with_inactive_marked(*space_, p) : point{};
        point const& from = is_conditional_ ? marked : p;
        std::vector<std::pair<double, double>> near; // distance, rank
        for (std::size_t i = 0; i < known_.size(); ++i)
            near.emplace_back(rough_distance(*space_, known_[i].where, from), rank_[i]);
        count = std::min(count, near.size());
        std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count),
                          near.end());
        double sum = 0;
        double weights = 0;
        for (std::size_t i = 0; i < count; ++i) {
            double const weight = 1 / (near[i].first + 1e-9);
            sum += weight * near[i].second;
            weights += weight;
        }
        return weights > 0 ? sum / weights : 0.5;
    }

private:
    description const* space_;
    std::vector<valued_point> known_; // best first
    std::vector<double> rank_;        // in [0, 1), of known_
    bool is_conditional_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
