// attune/space/query/nearest.hpp - the valid configurations nearest to a configuration.
// SPDX-License-Identifier: MIT
// Source   own: A* over the shared nodes of each tree with exact bounds from the leaves up, so that
//          each answer costs one walk; the best combinations over the trees by merging sorted lists
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The valid configurations other than `p` with the fewest changed parameters; among equally many
/// changes, with the smallest distance() (distance.hpp). If neighbours() finds no step, it returns
/// them. Inactive parameters of a result count as unchanged; those of `p` have their one value, see
/// chain_of_trees::settled().
///
/// The result is exact: no other configuration is nearer. Real parameters keep the values that they
/// have in `p`. If constraints read real parameters, the function tests only the nearest
/// `candidates` settings, and may return fewer than `count` points.
/// @param p  a configuration inside all tables and intervals; it may break constraints
/// @return   at most options.count points; fewer if the space has no more
/// Errors  attune::error unless space.is_exact()
/// Cost      one visit per edge of each tree, one distance per value, then a walk per answer
[[nodiscard]] std::vector<point> nearest_valid(chain_of_trees const& space, point const& p,
                                               nearest_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/nearest.ipp>
#endif
