// attune/space/query/nearest.hpp - the valid configurations that lie closest to any configuration.
// SPDX-License-Identifier: MIT
// Source   own: A* over the shared nodes of each tree with exact bounds from the leaves up, so that
//          each answer costs one walk; the best combinations over the trees by merging sorted lists
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/nearest_options.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The valid configurations other than `p` that are nearest to it: those with the fewest parameters
/// changed first, among them by distance() (distance.hpp). Where no single change is valid,
/// neighbours() falls back on these.
///
/// Exact: no other configuration is nearer. Real parameters stay where they are in `p`; where
/// constraints read them, the nearest `candidates` settings of the others are tested, and fewer
/// than `count` come back when not enough of these pass.
/// @param p  a configuration inside all tables and intervals; it may break constraints
/// @return   at most options.count points, fewer when the space has no more
/// Errors  attune::error unless space.is_exact()
/// Cost      one visit per edge of each tree, one distance per value, then a walk per answer
[[nodiscard]] std::vector<point>
nearest_valid(chain_of_trees const& space, point const& p, nearest_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/nearest.ipp>
#endif
