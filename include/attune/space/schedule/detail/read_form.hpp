// attune/space/schedule/detail/read_form.hpp - how a product reads an operand: directly, or a copy of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/access_axes.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How an access may be read.
enum class read_form : std::uint8_t {
    direct,
    panels,     ///< copied inside the cache tile's loops, as wide as the register tile
    all_panels, ///< the same, copied at the beginning
    kept,       ///< the same, of a constant array: copied once for all calls
    padded,     ///< the array itself, copied at the beginning, with its zeros
};

/// Those of an array that calls may change.
inline std::vector<read_form> forms_in_a_call(product_axes const& axes, nest_access const& access)
{
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0) return {read_form::direct};
    bool const in_columns = has_axis(access, axes.columns);
    bool const in_rows = axes.rows != no_index && has_axis(access, axes.rows);
    bool const is_contiguous_there = is_contiguous(access, axes.columns);
    if (in_columns && in_rows) { // depthwise: used once, but for the windows that overlap
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

/// The forms that make sense for an access, the preferred one first.
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
    // The innermost of the cache tiles' loops that it depends on.
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
