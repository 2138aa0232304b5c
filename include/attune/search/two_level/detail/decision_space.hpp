// attune/search/two_level/detail/decision_space.hpp - the parameters that groups optimize, and their encoding.
// SPDX-License-Identifier: MIT
// tested by search/two_level/score_optimizer.cpp
// Source   Rocke 2024 Sec. 3.3.1: the index in the sorted list of all tiles
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/two_level/two_level_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What all groups of a space share.
struct score_optimizer_base {
    chain_of_trees space;
    feature_map features;
    std::vector<double> unit;         ///< per feature, see score_process
    std::vector<std::uint32_t> tuned; ///< parameters with several values that groups optimize
};

/// Each parameter as the number of its value: 0, 1, 2, ... without constraints. Points of the space
/// are points of this one.
[[nodiscard]] inline chain_of_trees space_of_ranks(description const& of)
{
    description out;
    for (parameter_description const& p : of.parameters) {
        parameter_description rank;
        rank.name = p.name;
        if (p.traits().is_interval) {
            rank.kind = p.kind;
            rank.type = p.type;
            rank.on = p.on;
            rank.low = p.low;
            rank.high = p.high;
        } else {
            rank.kind = parameter_kind::ordinal;
            rank.type = value_kind::integer;
            for (std::uint32_t i = 0; i < p.value_count(); ++i)
                rank.integers.push_back(i);
        }
        out.parameters.push_back(std::move(rank));
    }
    return chain_of_trees(std::move(out));
}

[[nodiscard]] inline score_optimizer_base base_of(chain_of_trees const& space,
                                                  two_level_options const& options)
{
    description const& d = space.describe();
    feature_options none;
    none.from_constraints = none.from_alignment = none.from_user = false;
    none.sample = 1;
    none.enumerate = 0;
    bool const by_rank = options.encoding == decision_encoding::ranks;
    score_optimizer_base out{space,
                             by_rank ? feature_map(space_of_ranks(d), none)
                                     : feature_map(space, feature_options{}),
                             {},
                             {}};
    for (std::size_t f = 0; f < out.features.count(); ++f) {
        double unit = 1;
        if (by_rank) {
            auto const& p = d.parameters[d.find_parameter(out.features.name(f))];
            if (!p.traits().is_interval) unit = static_cast<double>(p.value_count() - 1);
        }
        out.unit.push_back(unit);
    }
    moves const near(space);
    for (std::uint32_t const p : near.varying())
        if (options.role(d, p) == decision_role::tuned) out.tuned.push_back(p);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
