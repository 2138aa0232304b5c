// attune/space/schedule/detail/access_axes.hpp - the axes of accesses and their extents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

inline bool has_axis(affine_index const& index, std::uint32_t axis)
{
    for (affine_term const& term : index.terms)
        if (term.axis == axis) return true;
    return false;
}
inline bool has_axis(nest_access const& access, std::uint32_t axis)
{
    for (affine_index const& index : access.at)
        if (has_axis(index, axis)) return true;
    return false;
}
/// Whether neighbours along `axis` are neighbours in memory.
inline bool is_contiguous(nest_access const& access, std::uint32_t axis)
{
    for (std::size_t d = 0; d < access.at.size(); ++d)
        for (affine_term const& term : access.at[d].terms)
            if (term.axis == axis && (d + 1 != access.at.size() || term.factor != 1)) return false;
    return has_axis(access, axis);
}

inline std::optional<std::int64_t> known_extent(nest_description const& nest, std::uint32_t axis)
{
    nest_extent const& extent = nest.axes[axis].extent;
    if (extent.input != no_index) return {};
    return extent.constant;
}

} // namespace attune::inline ATTUNE_ABI::detail
