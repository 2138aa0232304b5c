// attune/compile/nest/detail/nest_reductions.hpp - reductions that are kept in a local variable.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_blocks.hpp>
#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The loops from loop `index`, itself the first, to a block inside it.
[[nodiscard]] inline std::vector<std::uint32_t>
path_inside(loop_program const& program, std::uint32_t index, std::uint32_t block)
{
    std::vector<std::uint32_t> path{index};
    (void)append_path(program, program.loops[index].body, {item_kind::block, block}, path);
    return path;
}

/// Whether a loop has all of the block's spatial loops around it.
[[nodiscard]] inline bool is_local(nest_scope const& scope, std::uint32_t index,
                                   std::uint32_t block)
{
    for (std::uint32_t const inner : path_inside(scope.program, index, block))
        for (loop_range const& range : scope.program.loops[inner].over)
            if (is_spatial_axis(statement_of(scope, block), range.axis)) return false;
    return true;
}

/// Whether buffer `b` is made inside a loop.
[[nodiscard]] inline bool is_made_inside(loop_program const& program, std::uint32_t b,
                                         std::uint32_t loop)
{
    std::uint32_t const at = program.buffers[b].loop;
    bool found = at == loop;
    each_loop(program, program.loops[loop].body,
              [&](std::uint32_t inner) { found = found || inner == at; });
    return found;
}

/// Of a block whose tile is made inside a reduction loop, the first one: true where that loop, or
/// another one around the tile, has no steps, so that no tile is written; empty: it never is.
[[nodiscard]] inline std::string condition_of_no_steps(nest_scope const& scope, std::uint32_t index,
                                                       std::uint32_t block)
{
    loop_program const& program = scope.program;
    nest_statement const& of = statement_of(scope, block);
    std::uint32_t const tile = program.blocks[block].target;
    std::string out;
    if (of.continues || !is_made_inside(program, tile, index)) return out;
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i) {
        nest_extent const& extent = program.nest.axes[of.axes[i]].extent;
        if (extent.input == no_index && extent.constant > 0) continue;
        bool is_around = false;
        for (std::uint32_t const loop : path_inside(program, index, block))
            is_around = is_around || (is_over(program.loops[loop], of.axes[i]) &&
                                      is_made_inside(program, tile, loop));
        if (is_around) out += (out.empty() ? "" : " || ") + scope.text_of_extent(extent) + " < 1";
    }
    return out;
}

/// Lanes of a vector loop over a reduction axis; 0: none.
[[nodiscard]] inline std::int64_t reduction_lanes(nest_scope const& scope, std::uint32_t index,
                                                  std::uint32_t block)
{
    std::vector<std::uint32_t> const path = path_inside(scope.program, index, block);
    program_loop const& last = scope.program.loops[path.back()];
    if (last.kind != loop_kind::vectorized) return 0;
    std::uint32_t const axis = last.over.front().axis;
    std::int64_t lanes = scope.axes[axis].count.most;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        for (loop_range const& range : scope.program.loops[path[i]].over)
            if (range.axis == axis && (lanes < 0 || range.step < lanes)) lanes = range.step;
    return is_lane_count(lanes) ? lanes : 0;
}

/// Declares the local variable of a reduction, with its first value.
inline void begin_local(nest_scope& scope, std::uint32_t index, std::uint32_t block)
{
    nest_statement const& of = statement_of(scope, block);
    nest_array const& array = scope.program.nest.arrays[of.target.array];
    std::string const type(cpp_name(of.accumulator));
    local_target& local = scope.locals[block];
    local.name = scope.new_name(array.name + "_value");
    if (of.combine == reduction::argument_of_maximum) {
        std::string const values(cpp_name(scope.program.nest.nodes[of.value].type));
        scope.line(values + ' ' + local.name + "{};");
        scope.line("long " + local.name + "_at = -1;");
        return;
    }
    std::int64_t const lanes = reduction_lanes(scope, index, block);
    local.is_vector = lanes > 0;
    std::string const neutral = neutral_text(of.combine, of.accumulator);
    if (lanes > 0) {
        std::string const name = lanes_name(of.accumulator, lanes);
        scope.line(name + ' ' + local.name + " = vec::splat<" + name + ">(" + neutral + ");");
        return;
    }
    std::string first = neutral;
    if (of.continues)
        first =
            converted(scope,
                      loaded(scope, place_of_target(scope, block), element_of_target(scope, block)),
                      of.accumulator)
                .text;
    scope.line(type + ' ' + local.name + " = " + first + ';');
}

/// Stores what the local variable holds.
inline void end_local(nest_scope& scope, std::uint32_t block)
{
    nest_statement const& of = statement_of(scope, block);
    element_type const element = element_of_target(scope, block);
    local_target const local = std::exchange(scope.locals[block], {});
    element_place const place = place_of_target(scope, block);
    if (of.combine == reduction::argument_of_maximum) {
        std::string const at = local.name + "_at";
        store_line(scope, place, element,
                   word("static_cast<" + std::string(cpp_name(element)) + ">(" + at +
                            " < 0 ? 0 : " + at + ')',
                        element, false));
        return;
    }
    value_text value = word(local.name, of.accumulator, false);
    if (local.is_vector) {
        std::string const function(rules_of(of.combine).name);
        value.text = "vec::fold_" + function + '<' + std::string(cpp_name(of.accumulator)) + ">(" +
                     local.name + ')';
        if (of.continues)
            value =
                combined(scope, of.combine,
                         converted(scope, loaded(scope, place, element), of.accumulator), value);
    }
    store_line(scope, place, element, std::move(value));
}

} // namespace attune::inline ATTUNE_ABI::detail
