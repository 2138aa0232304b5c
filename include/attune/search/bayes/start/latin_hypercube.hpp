// attune/search/bayes/start/latin_hypercube.hpp - a Latin hypercube over the values of parameters.
// SPDX-License-Identifier: MIT
// Source   McKay, Beckman, Conover 1979; as the start of a search of constrained spaces: Willemsen et
//          al. 2021 Sec. III-E. stratified.hpp is one over leaves, where every point is valid
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/start/stratified.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/steps.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Distinct valid configurations out of `count` of a Latin hypercube: the values of every parameter
/// are divided into `count` equal strata with one configuration each, and strata are combined at
/// random. Those that break a constraint are left out: many in a sparse space.
/// Cost    two random numbers per parameter and configuration
[[nodiscard]] inline std::vector<point> latin_hypercube(chain_of_trees const& space,
                                                        std::size_t count, random_engine& engine)
{
    description const& declared = space.describe();
    std::vector<point> drawn(count, point(declared.parameters.size()));
    for (std::size_t p = 0; p < declared.parameters.size(); ++p) {
        parameter_description const& parameter = declared.parameters[p];
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        for (std::size_t i = 0; i < count; ++i) {
            if (parameter.traits().is_interval) {
                double const at = (stratum[i] + uniform_unit(engine)) / static_cast<double>(count);
                drawn[i][p].real = scale_value(parameter, at);
                continue;
            }
            // stratum * values + x is uniform below count * values, hence its quotient is below
            // values.
            std::uint64_t const values = parameter.value_count();
            std::uint64_t const place = stratum[i] * values + uniform_below(engine, values);
            drawn[i][p].index = static_cast<std::uint32_t>(place / count);
        }
    }
    std::vector<point> out;
    std::unordered_set<point, point_hash> taken;
    for (point& p : drawn) {
        point settled = space.settled(std::move(p));
        if (space.contains(settled) && taken.insert(settled).second)
            out.push_back(std::move(settled));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
