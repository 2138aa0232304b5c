// attune/core/launch.ipp - a geometry as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string text_of(launch_geometry const& g)
{
    auto const extents = [](std::array<std::int64_t, 3> const& e) {
        return std::to_string(e[0]) + 'x' + std::to_string(e[1]) + 'x' + std::to_string(e[2]);
    };
    std::string text = "grid " + extents(g.grid) + ", block " + extents(g.block);
    if (g.has_clusters()) text += ", cluster " + extents(g.cluster);
    if (g.shared_bytes > 0) text += ", " + std::to_string(g.shared_bytes) + " bytes shared";
    if (g.is_cooperative) text += ", cooperative";
    return text;
}

} // namespace attune::inline ATTUNE_ABI
