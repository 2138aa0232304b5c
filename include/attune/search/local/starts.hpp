// attune/search/local/starts.hpp - the first configurations of a search, and lists of the best.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/trials.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// At least one and at most `count` distinct random configurations, unseen ones if there are any.
/// Fewer where the space has fewer: 64 draws in a row without a new one end it.
[[nodiscard]] inline std::vector<point> fresh_points(trials& t, std::size_t count)
{
    std::vector<point> out{t.fresh()};
    std::unordered_set<point, point_hash> taken{out.front()};
    constexpr std::size_t most_vain = 64;
    std::size_t vain = 0; // draws since the last new one
    for (std::size_t tries = 0; out.size() < count && tries / 2 < count && vain < most_vain;
         ++tries) {
        point p = t.fresh();
        bool const is_new = taken.insert(p).second;
        vain = is_new ? 0 : vain + 1;
        if (is_new) out.push_back(std::move(p));
    }
    return out;
}

/// The best of a round; of equal ones the first. @pre it is not empty
[[nodiscard]] inline valued_point best_of(std::span<point const> round,
                                          std::span<double const> value)
{
    auto const best = std::min_element(value.begin(), value.end()) - value.begin();
    return {round[static_cast<std::size_t>(best)], value[static_cast<std::size_t>(best)]};
}

/// Inserts `one` into `best`, which ascends by value and keeps at most `most`; behind equal values.
inline void keep_best(std::vector<valued_point>& best, valued_point one, std::size_t most)
{
    auto const place =
        std::upper_bound(best.begin(), best.end(), one.value,
                         [](double value, valued_point const& t) { return value < t.value; });
    best.insert(place, std::move(one));
    if (best.size() > most) best.pop_back();
}

} // namespace attune::inline ATTUNE_ABI::detail
