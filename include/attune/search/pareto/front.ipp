// attune/search/pareto/front.ipp - sweeps over values in the order of the first objective.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/pareto/front.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<std::size_t> non_dominated(std::span<two_values const> values)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i][0]) && std::isfinite(values[i][1])) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    std::vector<std::size_t> out;
    for (std::size_t const i : order)
        if (out.empty() || values[i][1] < values[out.back()][1]) out.push_back(i);
    return out;
}

ATTUNE_INLINE double hypervolume(std::span<two_values const> values, two_values const& reference)
{
    double area = 0;
    double ceiling = reference[1]; // below it nothing is counted yet
    for (std::size_t const i : non_dominated(values)) {
        if (!(values[i][0] < reference[0]) || !(values[i][1] < ceiling)) continue;
        area += (reference[0] - values[i][0]) * (ceiling - values[i][1]);
        ceiling = values[i][1];
    }
    return area;
}

} // namespace attune::inline ATTUNE_ABI
