// attune/space/schedule/detail/product_axes.hpp - the roles of a reduction's axes in a register tile, and reads of its operands.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if neighbours along `axis` are neighbours in memory.
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

/// The axes of a reduction, by role in a register tile.
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

/// Returns true if the depth may have cache tiles: the target can hold the sums of one tile.
inline bool may_split_depth(nest_description const& nest, product_axes const& axes)
{
    return axes.host == axes.product && holds_parts(nest, nest.statements[axes.product]);
}

/// Returns true if a statement computes one element for each element of a product, and reads the
/// product only at this element. Each axis of the statement is that of the product at its place, or
/// no axis of the product.
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
    for (std::uint32_t s = 0; s < of.spatial_count; ++s) {
        std::uint32_t const axis = reader.axes[s];
        if (nest.axes[axis].extent != nest.axes[of.axes[s]].extent) return false;
        // compute_at() cannot rename an axis to another axis of the product.
        if (axis != of.axes[s] && std::find(of.axes.begin(), of.axes.end(), axis) != of.axes.end())
            return false;
    }
    return true;
}

/// The axes of the statements; nothing for other kinds of statements.
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
    // The rows are the last spatial axis whose steps all use the same vector of columns.
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

/// Returns true if each step of a statement reads another element by this access.
inline bool is_read_once(nest_statement const& of, nest_access const& access)
{
    return std::all_of(of.axes.begin(), of.axes.end(), [&](std::uint32_t axis) {
        return std::any_of(access.at.begin(), access.at.end(), [&](affine_index const& index) {
            return index.terms.size() == 1 && index.terms.front().axis == axis;
        });
    });
}

/// Returns true if a statement alone is a product that reads each element several times, and whose
/// register tile has rows.
inline bool is_tiled_product(nest_description const& nest, std::uint32_t statement,
                             processor_shape const& processor)
{
    nest_statement const& of = nest.statements[statement];
    auto const axes = find_product_axes({&nest, {statement}, processor, {}});
    if (!axes || axes->rows == no_index) return false;
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    return std::none_of(reads.begin(), reads.end(),
                        [&](std::uint32_t a) { return is_read_once(of, nest.accesses[a]); });
}

/// Ways to read an operand.
enum class read_form : std::uint8_t {
    direct,
    panels, ///< a copy inside the loops of the cache tile, in panels as wide as the register tile
    all_panels, ///< a copy in panels at the beginning of the call
    kept,       ///< a copy of a constant array in panels, once for all calls
    padded,     ///< a copy of the array with its zeros, at the beginning of the call
};

/// The forms of an array that may differ between calls.
inline std::vector<read_form> forms_in_a_call(product_axes const& axes, nest_access const& access)
{
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0) return {read_form::direct};
    bool const in_columns = has_axis(access, axes.columns);
    bool const in_rows = axes.rows != no_index && has_axis(access, axes.rows);
    bool const is_contiguous_there = is_contiguous(access, axes.columns);
    if (in_columns && in_rows) { // depthwise: used once, except where windows overlap
        if (access.is_padded) return {read_form::padded, read_form::direct};
        return is_contiguous_there ? std::vector<read_form>{read_form::direct}
                                   : std::vector<read_form>{read_form::panels};
    }
    if (in_columns && !is_contiguous_there) return {read_form::panels, read_form::all_panels};
    if (in_columns) return {read_form::direct, read_form::panels, read_form::all_panels};
    if (access.is_padded) return {read_form::padded, read_form::panels};
    if (in_rows) return {read_form::direct, read_form::panels};
    return {read_form::direct};
}

/// The useful forms of an access, the preferred one first.
inline std::vector<read_form> forms_of(product_axes const& axes, nest_description const& nest,
                                       nest_access const& access)
{
    std::vector<read_form> out = forms_in_a_call(axes, access);
    bool const in_columns = has_axis(access, axes.columns);
    bool const in_rows = axes.rows != no_index && has_axis(access, axes.rows);
    if (!nest.arrays[access.array].is_constant || in_columns == in_rows) return out;
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0) return out;
    std::erase(out, read_form::all_panels);
    out.push_back(read_form::kept);
    return out;
}

inline std::string_view name_of(read_form form)
{
    switch (form) {
    case read_form::direct:
        return "direct";
    case read_form::panels:
        return "panels";
    case read_form::all_panels:
        return "all_panels";
    case read_form::kept:
        return "kept";
    case read_form::padded:
        break;
    }
    return "padded";
}

/// The parameter of an access: READ_B, or READ_B_1 for the second one of the array.
inline std::string read_name(rule_subject const& subject, std::vector<std::uint32_t> const& reads,
                             std::uint32_t access)
{
    nest_description const& nest = *subject.nest;
    int same = 0;
    for (std::uint32_t const a : reads) {
        if (a == access) break;
        same += nest.accesses[a].array == nest.accesses[access].array ? 1 : 0;
    }
    std::string const name =
        subject.prefix + "READ_" + nest.arrays[nest.accesses[access].array].name;
    return same == 0 ? name : name + '_' + std::to_string(same);
}

/// Copies one access in the chosen form.
inline void apply_form(product_axes const& axes, nest_access const& access,
                       std::uint32_t access_index, read_form form, std::int64_t tile_rows,
                       std::int64_t tile_columns, std::vector<std::uint32_t> const& tile_loops,
                       traced_program& p)
{
    if (form == read_form::direct) return;
    auto const block = static_cast<std::int64_t>(axes.product);
    if (form == read_form::padded) {
        p.apply(schedule_action::cache_read, {block, access_index, -1, 0});
        return;
    }
    // Coordinates are the axes in the order of the access.
    std::vector<std::uint32_t> coordinates;
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (std::find(coordinates.begin(), coordinates.end(), term.axis) == coordinates.end())
                coordinates.push_back(term.axis);
    bool const in_columns = has_axis(access, axes.columns);
    std::uint32_t const along = in_columns ? axes.columns : axes.rows;
    std::int64_t const width = in_columns ? tile_columns : tile_rows;
    std::vector<std::int64_t> outer;
    std::vector<std::int64_t> middle;
    std::vector<std::int64_t> last;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
        auto const at = static_cast<std::int64_t>(c);
        std::uint32_t const axis = coordinates[c];
        bool const is_other =
            std::find(axes.others.begin(), axes.others.end(), axis) != axes.others.end();
        if (axis == along) {
            if (width > 1) outer.insert(outer.end(), {at, width});
            last.insert(last.end(), {at, 1});
        } else if (is_other || axis == axes.rows) {
            outer.insert(outer.begin(), {at, 1});
        } else {
            middle.insert(middle.end(), {at, 1});
        }
    }
    // The place of the innermost loop over cache tiles that moves the access.
    std::int64_t at = -1;
    if (form == read_form::panels)
        for (std::uint32_t const loop : tile_loops)
            for (loop_range const& range : p.program.loops[loop].over)
                if (has_axis(access, range.axis)) at = loop;
    std::vector<std::int64_t> numbers{block, access_index, at, 1};
    for (std::vector<std::int64_t> const& part : {outer, middle, last})
        numbers.insert(numbers.end(), part.begin(), part.end());
    p.apply(schedule_action::cache_read, std::move(numbers));
}

} // namespace attune::inline ATTUNE_ABI::detail
