// attune/compile/nest/detail/nest_blocks.hpp - writes statements and reductions inside their loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_copies.hpp>
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

[[nodiscard]] inline nest_statement const& statement_of(nest_scope const& scope,
                                                        std::uint32_t block)
{
    return scope.program.nest.statements[scope.program.blocks[block].statement];
}

/// Returns true if a block combines into a buffer that one copy fills and another one empties.
[[nodiscard]] inline bool has_tile(nest_scope const& scope, std::uint32_t block)
{
    for (program_copy const& copy : scope.program.copies)
        if (copy.kind == copy_kind::begin && copy.block == block) return true;
    return false;
}

/// The element that a block computes, in its array or in a buffer.
[[nodiscard]] inline element_place place_of_target(nest_scope const& scope, std::uint32_t block)
{
    std::uint32_t const buffer = scope.program.blocks[block].target;
    return buffer == no_index ? place_in_array(scope, statement_of(scope, block).target)
                              : place_in_buffer(scope, buffer);
}

[[nodiscard]] inline element_type element_of_target(nest_scope const& scope, std::uint32_t block)
{
    std::uint32_t const buffer = scope.program.blocks[block].target;
    return buffer == no_index
               ? scope.program.nest.arrays[statement_of(scope, block).target.array].element
               : scope.program.buffers[buffer].element;
}

inline void count_parts(nest_description const& nest, std::uint32_t n, std::vector<int>& uses,
                        bool& found)
{
    if (n == no_index) return;
    nest_node const& node = nest.nodes[n];
    if (++uses[n] > 1) {
        found = found || node.code != nest_op::literal;
        return;
    }
    count_parts(nest, node.first, uses, found);
    count_parts(nest, node.second, uses, found);
    count_parts(nest, node.third, uses, found);
}

/// Returns true if the target's former value counts.
[[nodiscard]] inline bool is_combined(nest_statement const& of)
{
    return of.combine != reduction::none && (of.continues || of.axes.size() > of.spatial_count);
}

[[nodiscard]] inline bool has_parts(nest_description const& nest, std::uint32_t value)
{
    std::vector<int> uses(nest.nodes.size(), 0);
    bool found = false;
    count_parts(nest, value, uses, found);
    return found;
}

inline void write_combination(nest_scope& scope, std::uint32_t index, local_target const& local,
                              value_text value)
{
    nest_statement const& of = statement_of(scope, index);
    std::string const neutral = neutral_text(of.combine, of.accumulator);
    if (!local.name.empty()) {
        if (local.is_vector) {
            value = widened(scope, std::move(value));
            if (!scope.lane.count.empty())
                value = word("vec::first(" + value.text + ", " + scope.lane.count + ", " + neutral +
                                 ')',
                             of.accumulator, true);
        }
        value_text const all =
            combined(scope, of.combine, word(local.name, of.accumulator, local.is_vector), value);
        scope.line(local.name + " = " + all.text + ';');
        return;
    }
    if (has_tile(scope, index)) {
        element_place const place = place_of_target(scope, index);
        all_lanes_of_buffer const all(scope, scope.program.blocks[index].target);
        value_text const old = loaded(scope, place, of.accumulator);
        store_line(scope, place, of.accumulator,
                   combined(scope, of.combine, old, std::move(value)));
        return;
    }
    element_type const element = element_of_target(scope, index);
    element_place const place = place_of_target(scope, index);
    value_text const old = converted(scope, loaded(scope, place, element), of.accumulator);
    store_line(scope, place, element, combined(scope, of.combine, old, std::move(value)));
}

inline void write_argument(nest_scope& scope, nest_statement const& of, local_target const& local,
                           value_text const& value)
{
    std::string const at = local.name + "_at";
    std::uint32_t const axis = of.axes.back();
    scope.open("if (" + value.operand() + " > " + local.name + ") {");
    scope.line(local.name + " = " + value.text + ';');
    scope.line(at + " = " + text_of(scope.value_of(axis)) + ';');
    scope.close();
}

/// If `items` stored past the caches, writes the line after which other threads may read this.
inline void end_stream(nest_scope& scope, std::vector<program_item> const& items)
{
    bool is_streamed = false;
    each_block(scope.program, items, [&](std::uint32_t block) {
        is_streamed = is_streamed || scope.program.blocks[block].is_streamed;
    });
    if (is_streamed) scope.line("vec::end_stream();");
}

inline void write_block(nest_scope& scope, std::uint32_t index)
{
    program_block const& block = scope.program.blocks[index];
    nest_statement const& of = statement_of(scope, index);
    local_target const& local = scope.locals[index];
    // Names of parts are local to the block; each block, or instance, has its own names.
    bool const braces = has_parts(scope.program.nest, of.value);
    if (braces) scope.open("{");
    value_text value = nest_value_writer(scope, block).value();
    if (of.combine == reduction::argument_of_maximum) {
        write_argument(scope, of, local, value);
    } else if (!is_combined(of)) {
        store_line(scope, place_of_target(scope, index), element_of_target(scope, index),
                   std::move(value), block.is_streamed && block.target == no_index);
    } else {
        value = converted(scope, std::move(value), of.accumulator);
        write_combination(scope, index, local, std::move(value));
    }
    if (braces) scope.close();
}

/// Initialises the target of a reduction; for a tile, the array behind it.
inline void write_neutral(nest_scope& scope, std::uint32_t block)
{
    nest_statement const& of = statement_of(scope, block);
    bool const is_tile = has_tile(scope, block);
    element_type const element = is_tile ? scope.program.nest.arrays[of.target.array].element
                                         : element_of_target(scope, block);
    store_line(scope, is_tile ? place_in_array(scope, of.target) : place_of_target(scope, block),
               element, word(neutral_text(of.combine, element), element, false));
}

/// The loops from loop `index`, with it, to a block inside it.
[[nodiscard]] inline std::vector<std::uint32_t>
path_inside(loop_program const& program, std::uint32_t index, std::uint32_t block)
{
    std::vector<std::uint32_t> path{index};
    (void)append_path(program, program.loops[index].body, {item_kind::block, block}, path);
    return path;
}

/// Returns true if all of the block's spatial loops are around a loop.
[[nodiscard]] inline bool is_local(nest_scope const& scope, std::uint32_t index,
                                   std::uint32_t block)
{
    for (std::uint32_t const inner : path_inside(scope.program, index, block))
        for (loop_range const& range : scope.program.loops[inner].over)
            if (is_spatial_axis(statement_of(scope, block), range.axis)) return false;
    return true;
}

/// Returns true if buffer `b` is made inside a loop.
[[nodiscard]] inline bool is_made_inside(loop_program const& program, std::uint32_t b,
                                         std::uint32_t loop)
{
    std::uint32_t const at = program.buffers[b].loop;
    bool found = at == loop;
    each_loop(program, program.loops[loop].body,
              [&](std::uint32_t inner) { found = found || inner == at; });
    return found;
}

/// For a block whose tile is made inside its outermost reduction loop: a condition that a loop
/// around the tile has no steps, so that no tile is written. Empty: never.
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

/// Lanes of a vector loop over a reduction axis; 0 if there is none.
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
        scope.line(values + ' ' + local.name + " = vec::lowest<" + values + ">();");
        scope.line("long " + local.name + "_at = 0;");
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

/// Stores the value of the local variable.
inline void end_local(nest_scope& scope, std::uint32_t block)
{
    nest_statement const& of = statement_of(scope, block);
    element_type const element = element_of_target(scope, block);
    local_target const local = std::exchange(scope.locals[block], {});
    element_place const place = place_of_target(scope, block);
    if (of.combine == reduction::argument_of_maximum) {
        store_line(
            scope, place, element,
            word("static_cast<" + std::string(cpp_name(element)) + ">(" + local.name + "_at)",
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
