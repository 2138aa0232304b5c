// attune/compile/nest/detail/nest_blocks.hpp - writes one statement at one place of its loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_copies.hpp>
#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/version.hpp>

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

/// Whether a block combines into a buffer that a copy begins and another one empties.
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

/// Whether the target's former value counts.
[[nodiscard]] inline bool is_combined(nest_statement const& of)
{
    return of.combine != reduction::none && (of.continues || of.axes.size() > of.spatial_count);
}

/// Whether parts of a value get names.
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
    scope.open("if (" + at + " < 0 || " + value.operand() + " > " + local.name + ") {");
    scope.line(local.name + " = " + value.text + ';');
    scope.line(at + " = " + text_of(scope.value_of(axis)) + ';');
    scope.close();
}

/// Writes the line after which others may read what `items` stored past the caches, if they do.
inline void end_stream(nest_scope& scope, std::vector<program_item> const& items)
{
    bool is_streamed = false;
    each_block(scope.program, items, [&](std::uint32_t block) {
        is_streamed = is_streamed || scope.program.blocks[block].is_streamed;
    });
    if (is_streamed) scope.line("vec::end_stream();");
}

/// The lines of a block.
inline void write_block(nest_scope& scope, std::uint32_t index)
{
    program_block const& block = scope.program.blocks[index];
    nest_statement const& of = statement_of(scope, index);
    local_target const& local = scope.locals[index];
    // Names of parts are local to the block: another block, or instance, has its own.
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

/// The target of a reduction before it begins; of a tile, the array behind it.
inline void write_neutral(nest_scope& scope, std::uint32_t block)
{
    nest_statement const& of = statement_of(scope, block);
    bool const is_tile = has_tile(scope, block);
    element_type const element = is_tile ? scope.program.nest.arrays[of.target.array].element
                                         : element_of_target(scope, block);
    store_line(scope, is_tile ? place_in_array(scope, of.target) : place_of_target(scope, block),
               element, word(neutral_text(of.combine, element), element, false));
}

} // namespace attune::inline ATTUNE_ABI::detail
