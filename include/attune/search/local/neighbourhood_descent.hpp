// attune/search/local/neighbourhood_descent.hpp - descents of long runs: by larger and larger neighbourhoods, and in wide spaces.
// SPDX-License-Identifier: MIT
// Source   variable neighbourhood descent of Mladenovic & Hansen 1997; tabu list of Glover 1986;
//          candidates ranked by near outcomes and recombined elites as in the generated HybridVNDX
//          of Kernel Tuner. Own: all comparisons relative, so that they have no unit; near outcomes
//          by the ranks of values instead of times, so that failures rank last
// Source   wide_climb: own; the moves of an order are those of a tour: 2-opt (Croes 1958), Or-opt
//          (Or 1976)
// Bench    bench/search/replay.cpp, bench/search/tsp.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// For each parameter in which two configurations differ, 1 plus a distance: for numbers the share
/// of the table or scale between them, for other values 1.
/// @param a, b  from with_inactive_marked(), if parameters are conditional
[[nodiscard]] inline double rough_distance(description const& space, point const& a, point const& b)
{
    double sum = 0;
    for (std::size_t p = 0; p < a.size(); ++p) {
        if (a[p] == b[p]) continue;
        parameter_description const& parameter = space.parameters[p];
        double far = 1;
        if (a[p].index == no_index || b[p].index == no_index)
            far = 1; // only one of them is active
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

    /// The mean rank of the `count` nearest outcomes, weighted by inverse distance. 0 is the best
    /// rank; without outcomes the result is 0.5.
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

namespace attune::inline ATTUNE_ABI {

struct neighbourhood_descent_options {
    std::size_t starts = 10;     ///< random configurations, of which the best is the start
    std::size_t tries = 2;       ///< tries in each neighbourhood before the next larger one
    std::size_t candidates = 64; ///< number of candidates for these tries
    std::size_t neighbours = 5;  ///< nearest outcomes that rank a candidate; 0: random order
    std::size_t tabu = 20;       ///< moves for which a configuration is not entered again
    std::size_t patience = 3;    ///< uphill moves without a new best before a restart
};

/// Tries the next values of each parameter, then all values of each, then two parameters at once,
/// then mixtures with the best configurations. After an improvement the search starts again with
/// the first neighbourhood; without one it moves to the best known neighbour that is not tabu.
class neighbourhood_descent : public stepwise_searcher {
public:
    explicit neighbourhood_descent(chain_of_trees space, std::uint64_t seed = 0,
                                   neighbourhood_descent_options const& options = {});
};

namespace detail {

/// A hill climber for arrays and long permutations. It changes the best of ten random
/// configurations: moves or reverses a section of an order, moves elements of an array by about a
/// tenth of their range. At first it changes a third of an array at once, later one element. A
/// change that is not worse stays.
/// Cost   a copy of an order per configuration
class wide_climb : public stepwise_searcher {
public:
    explicit wide_climb(chain_of_trees space, std::uint64_t seed = 0);
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/neighbourhood_descent.ipp>
#endif
