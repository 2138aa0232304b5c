// attune/space/query/nearest.ipp - combines the nearest leaves of each tree.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/detail/nearest_leaves.hpp>
#include <attune/space/query/nearest.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<point> nearest_valid(chain_of_trees const& space, point const& p,
                                               nearest_options const& options)
{
    ATTUNE_ASSERT(p.size() == space.describe().parameters.size(),
                  "a point has one coordinate per parameter");
    space.require_exact("finding the nearest valid configurations");
    return detail::nearest_settings(space, p, options);
}

} // namespace attune::inline ATTUNE_ABI
