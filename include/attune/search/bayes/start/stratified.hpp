// attune/search/bayes/start/stratified.hpp - a Latin hypercube over the leaves of a chain of trees.
// SPDX-License-Identifier: MIT
// Source   McKay, Beckman, Conover 1979 (Latin hypercube sampling); own: one dimension per tree,
//          the number of the leaf, so that every point is valid
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/steps.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// 0 .. count - 1 in random order: the stratum of each configuration in one dimension.
[[nodiscard]] inline std::vector<std::uint32_t> random_strata(std::size_t count,
                                                              random_engine& engine)
{
    std::vector<std::uint32_t> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<std::uint32_t>(i);
    shuffle(std::span(out), engine);
    return out;
}

/// `count` valid configurations. Every tree's leaves, and the scale of every real parameter, are
/// divided into `count` equal strata with one configuration each. Strata are combined at random.
/// Configurations may repeat: a tree may have fewer leaves than strata.
///
/// Each configuration is uniform over the leaves. A configuration that a constraint over real
/// parameters refuses is replaced by a uniform sample.
/// Cost    one random number and one walk per tree and configuration
[[nodiscard]] inline std::vector<point> stratified_sample(chain_of_trees const& space,
                                                          std::size_t count, random_engine& engine)
{
    description const& declared = space.describe();
    std::vector<point> out(count, point(declared.parameters.size()));
    if (count == 0) return out;
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        tree const& from = space.tree_at(t);
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        bool const fits = from.leaves() < uncountable / count;
        for (std::size_t i = 0; i < count; ++i) {
            // stratum * leaves + x is uniform below count * leaves, hence its quotient is below
            // leaves.
            leaf_count leaf = uniform_leaf(engine, from.leaves());
            if (fits) leaf = (stratum[i] * from.leaves() + leaf) / count;
            from.place(leaf, out[i]);
        }
    }
    for (std::size_t p = 0; p < declared.parameters.size(); ++p) {
        parameter_description const& parameter = declared.parameters[p];
        if (!parameter.traits().is_interval) continue;
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        for (std::size_t i = 0; i < count; ++i)
            out[i][p].real = scale_value(parameter, (stratum[i] + uniform_unit(engine)) /
                                                        static_cast<double>(count));
    }
    if (space.has_real_parameters())
        for (point& p : out) {
            p = space.settled(std::move(p));
            if (!space.contains(p)) p = space.sample(engine);
        }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
