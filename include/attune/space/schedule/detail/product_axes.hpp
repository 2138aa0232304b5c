// attune/space/schedule/detail/product_axes.hpp - what the axes of a reduction do in a register tile.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_operation.hpp>
#include <attune/space/schedule/detail/access_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The axes of a reduction by what they do in a register tile.
struct product_axes {
    std::uint32_t product = no_index;  ///< statement
    std::uint32_t host = no_index;     ///< statement whose loops are tiled: the last one
    std::uint32_t columns = no_index;  ///< along vectors
    std::uint32_t rows = no_index;     ///< no_index: none
    std::uint32_t depth = no_index;    ///< the longest reduction axis
    std::vector<std::uint32_t> others; ///< further spatial axes
    std::vector<std::uint32_t> inner;  ///< further reduction axes
    std::int64_t lanes = 0;
};

/// Whether the depth may have cache tiles: the target takes sums of one tile after the other.
inline bool may_split_depth(nest_description const& nest, product_axes const& axes)
{
    return axes.host == axes.product && holds_parts(nest, nest.statements[axes.product]);
}

/// Whether a statement computes one element for each of a product's, whose axes it has in their
/// order, and that product is only read at this place.
inline bool reads_each_element(nest_description const& nest, std::uint32_t host,
                               std::uint32_t product)
{
    nest_statement const& reader = nest.statements[host];
    nest_statement const& of = nest.statements[product];
    if (reader.combine != reduction::none || reader.spatial_count != of.spatial_count ||
        of.continues)
        return false;
    for (std::uint32_t const a : accesses_of(nest, reader)) {
        nest_access const& access = nest.accesses[a];
        if (access.array != of.target.array) continue;
        if (access.is_padded || access.at != reader.target.at) return false;
    }
    for (std::uint32_t s = 0; s < of.spatial_count; ++s)
        if (nest.axes[reader.axes[s]].extent != nest.axes[of.axes[s]].extent) return false;
    return true;
}

/// Nothing where the statements are not of this kind.
inline std::optional<product_axes> find_product_axes(rule_subject const& subject)
{
    nest_description const& nest = *subject.nest;
    product_axes out;
    if (subject.statements.empty() || subject.statements.size() > 2) return {};
    out.product = subject.statements.front();
    out.host = subject.statements.back();
    nest_statement const& of = nest.statements[out.product];
    if (!rules_of(of.combine).joins_parts || of.spatial_count == 0 ||
        of.axes.size() == of.spatial_count)
        return {};
    out.columns = of.axes[of.spatial_count - 1];
    out.lanes = std::max<std::int64_t>(subject.processor.vector_bytes /
                                           static_cast<std::int64_t>(element_bytes(of.accumulator)),
                                       2);
    auto const width = known_extent(nest, out.columns);
    if (width && *width < 2) return {};
    while (width && out.lanes > 2 && out.lanes / 2 >= *width)
        out.lanes /= 2;
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    bool has_lanes = false;
    bool reuses = false;
    for (std::uint32_t const a : reads) {
        nest_access const& access = nest.accesses[a];
        has_lanes = has_lanes || is_contiguous(access, out.columns);
        for (std::uint32_t s = 0; s < of.spatial_count; ++s)
            reuses = reuses || !has_axis(access, of.axes[s]);
    }
    if (!has_lanes && !(reuses && reads.size() > 1)) return {};
    if (out.host != out.product && !reads_each_element(nest, out.host, out.product)) return {};
    // Rows: of the spatial axes that let a vector of columns be used again, the last one.
    for (std::uint32_t s = of.spatial_count - 1; s-- > 0 && out.rows == no_index;) {
        auto const extent = known_extent(nest, of.axes[s]);
        if (extent && *extent < 2) continue;
        for (std::uint32_t const a : reads)
            if (has_axis(nest.accesses[a], out.columns) && !has_axis(nest.accesses[a], of.axes[s]))
                out.rows = of.axes[s];
    }
    for (std::uint32_t s = 0; s + 1 < of.spatial_count; ++s)
        if (of.axes[s] != out.rows) out.others.push_back(of.axes[s]);
    std::int64_t longest = -1;
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i) {
        std::int64_t const extent = known_extent(nest, of.axes[i]).value_or(1 << 30);
        if (extent >= longest) {
            longest = extent;
            out.depth = of.axes[i];
        }
    }
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i)
        if (of.axes[i] != out.depth) out.inner.push_back(of.axes[i]);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
