// attune/space/schedule/detail/row_rule.hpp - statements that share their outer loops; single statements.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if each statement of a group reads the arrays of the others only at its own place
/// along the first `count` axes.
inline bool reads_own_rows(rule_subject const& subject, std::vector<std::uint32_t> const& axes,
                           std::size_t count)
{
    nest_description const& nest = *subject.nest;
    auto const is_shared = [&](affine_term const& term) {
        return std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count),
                         term.axis) != axes.begin() + static_cast<std::ptrdiff_t>(count);
    };
    for (std::uint32_t const producer : subject.statements)
        for (std::uint32_t const s : subject.statements)
            for (std::uint32_t const a : accesses_of(nest, nest.statements[s])) {
                nest_access const& access = nest.accesses[a];
                if (access.array != nest.statements[producer].target.array) continue;
                for (std::size_t d = 0; d < access.at.size(); ++d) {
                    affine_index const& index = access.at[d];
                    if (d < count ? index != affine_index{{{axes[d], 1}}, 0}
                                  : std::any_of(index.terms.begin(), index.terms.end(), is_shared))
                        return false;
                }
            }
    return true;
}

/// The leading axes that all statements of a group share, and along which reads_own_rows() is true.
inline std::vector<std::uint32_t> shared_axes(rule_subject const& subject)
{
    nest_description const& nest = *subject.nest;
    nest_statement const& last = nest.statements[subject.statements.back()];
    std::size_t count = last.spatial_count;
    for (std::uint32_t const s : subject.statements) {
        nest_statement const& of = nest.statements[s];
        std::size_t same = 0;
        while (same < count && same < of.spatial_count && of.axes[same] == last.axes[same])
            ++same;
        count = same;
    }
    while (count > 0 && !reads_own_rows(subject, last.axes, count))
        --count;
    // A single statement keeps its last axis for lanes.
    bool const is_single = subject.statements.size() == 1;
    if (is_single && count == last.axes.size() && count > 0) --count;
    return {last.axes.begin(), last.axes.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The axis of a statement's lanes, inside the shared ones; no_index: none.
inline std::uint32_t lane_axis(nest_description const& nest, nest_statement const& of,
                               std::size_t shared)
{
    bool const is_argument = of.combine == reduction::argument_of_maximum;
    // The last axis of the target, or of a sum if the target has no other axis.
    if (of.spatial_count > shared) {
        bool const reduces = of.axes.size() > of.spatial_count;
        return reduces || is_argument ? no_index : of.axes[of.spatial_count - 1];
    }
    if (of.axes.size() == of.spatial_count || is_argument) return no_index;
    std::uint32_t const axis = of.axes.back();
    auto const extent = known_extent(nest, axis);
    return extent && *extent < 2 ? no_index : axis;
}

/// Returns true if a statement writes, once and in whole lanes, a result that no statement reads
/// and that is larger than the last cache.
inline bool is_for_memory(rule_subject const& subject, std::uint32_t s)
{
    nest_description const& nest = *subject.nest;
    nest_statement const& of = nest.statements[s];
    nest_array const& target =
        (subject.whole != nullptr ? *subject.whole : nest).arrays[of.target.array];
    std::uint32_t const lanes = lane_axis(nest, of, shared_axes(subject).size());
    if (of.combine != reduction::none || target.role != nest_role::written || lanes == no_index ||
        of.target.at.back() != affine_index{{{lanes, 1}}, 0})
        return false;
    double bytes = static_cast<double>(element_bytes(target.element));
    for (nest_extent const& extent : target.extents)
        bytes *= extent.input == no_index ? static_cast<double>(extent.constant) : 0;
    return bytes > static_cast<double>(subject.processor.l3_bytes) &&
           std::none_of(nest.accesses.begin(), nest.accesses.end(),
                        [&](nest_access const& read) { return read.array == of.target.array; });
}

/// Returns true for statements that share rows. Refuses products: in rows, a product has no
/// register tile, and is far slower than alone.
inline bool rows_apply(rule_subject const& subject)
{
    if (subject.statements.size() == 1) return true;
    return !shared_axes(subject).empty() &&
           std::none_of(subject.statements.begin(), subject.statements.end(), [&](std::uint32_t s) {
               return is_tiled_product(*subject.nest, s, subject.processor);
           });
}

/// Computes all statements in the loop of the last one over their rows.
/// @pre     more than one statement, shared axes
/// Errors   attune::error: a statement cannot be moved there
inline void fuse_rows(rule_subject const& subject, traced_program& p)
{
    std::vector<std::uint32_t> const path =
        loops_around(p.program, {item_kind::block, subject.statements.back()});
    std::uint32_t const row = path[shared_axes(subject).size() - 1];
    for (std::size_t i = subject.statements.size() - 1; i-- > 0;)
        p.apply(schedule_action::compute_at, {subject.statements[i], row});
}

inline void declare_rows(rule_subject const& subject, space_builder& space)
{
    nest_description const& nest = *subject.nest;
    std::int64_t bytes = 1;
    std::int64_t longest = 1;
    for (std::uint32_t const s : subject.statements) {
        nest_statement const& of = nest.statements[s];
        element_type const type = nest.arrays[of.target.array].element;
        bytes = std::max(bytes, static_cast<std::int64_t>(element_bytes(type)));
        std::uint32_t const axis = lane_axis(nest, of, shared_axes(subject).size());
        if (axis != no_index)
            longest = std::max(longest, known_extent(nest, axis).value_or(1 << 20));
    }
    std::int64_t const width = std::max<std::int64_t>(subject.processor.vector_bytes / bytes, 2);
    std::vector<std::int64_t> lanes{1};
    for (std::int64_t const wide : {width / 2, width, 2 * width, 4 * width})
        if (wide > 1 && wide < 2 * longest && wide <= 256) lanes.push_back(wide);
    std::int64_t preferred = 1;
    for (std::int64_t const wide : lanes)
        if (wide <= width) preferred = wide;
    std::string const& p = subject.prefix;
    space.ordinal(p + "LANES", lanes, preferred);
    space.ordinal(p + "UNROLL", {1, 2, 4, 8}, 1);
    if (subject.processor.cores > 1) space.categorical(p + "THREADS", {"outer", "one"}, "outer");
    if (lanes.size() > 1 &&
        std::any_of(subject.statements.begin(), subject.statements.end(),
                    [&](std::uint32_t s) { return is_for_memory(subject, s); })) {
        space.categorical(p + "STORES", {"cached", "streamed"}, "streamed");
        space.active_if(p + "STORES",
                        space.node(op::less, space.number(1), space.value(p + "LANES")));
    }
    space.feature(space.node(op::multiply, space.value(p + "LANES"), space.value(p + "UNROLL")));
}

inline void schedule_rows(rule_subject const& subject, schedule_choices const& chosen,
                          traced_program& p)
{
    using enum schedule_action;
    std::string const& prefix = subject.prefix;
    nest_description const& nest = *subject.nest;
    std::vector<std::uint32_t> const shared = shared_axes(subject);
    std::uint32_t const last = subject.statements.back();
    std::vector<std::uint32_t> const path = loops_around(p.program, {item_kind::block, last});
    if (subject.statements.size() > 1) fuse_rows(subject, p);
    std::int64_t const lanes = chosen.number(prefix + "LANES");
    std::int64_t const copies = chosen.number(prefix + "UNROLL");
    for (std::uint32_t const s : subject.statements) {
        std::uint32_t const axis = lane_axis(nest, nest.statements[s], shared.size());
        std::vector<std::uint32_t> const around = loops_around(p.program, {item_kind::block, s});
        if (axis == no_index || around.empty()) continue;
        std::uint32_t const loop = around.back();
        if (p.program.loops[loop].over.front().axis != axis) continue;
        if (lanes > 1) {
            std::uint32_t const inner = p.apply(split, {loop, lanes});
            p.apply(vectorize, {inner});
        }
        if (copies > 1 && p.program.loops[loop].kind == loop_kind::serial)
            p.apply(unroll, {loop, copies});
        if (lanes > 1 && is_for_memory(subject, s) && chosen.text(prefix + "STORES") == "streamed")
            p.apply(stream, {s});
    }
    if (subject.processor.cores > 1 && !shared.empty() &&
        chosen.text(prefix + "THREADS") == "outer")
        for (std::size_t l = 0; l < shared.size(); ++l) {
            if (known_extent(nest, shared[l]) == 1) continue; // an axis of slices
            p.apply(parallelize, {path[l]});
            break;
        }
}

inline constexpr std::string_view row_rule_name = "rows";

[[nodiscard]] inline schedule_rule row_rule()
{
    return {std::string(row_rule_name), rows_apply, declare_rows, schedule_rows};
}

} // namespace attune::inline ATTUNE_ABI::detail
