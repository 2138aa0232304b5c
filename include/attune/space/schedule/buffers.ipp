// attune/space/schedule/buffers.ipp - copies of what is read, and buffers of reductions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/nest/nest_operation.hpp>
#include <attune/space/schedule/buffers.hpp>
#include <attune/space/schedule/detail/new_buffer.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The item directly in the body of `loop` that is, or holds, a block.
inline program_item item_towards(loop_program const& program, std::uint32_t loop,
                                 std::uint32_t block)
{
    std::vector<std::uint32_t> const around = loops_around(program, {item_kind::block, block});
    if (loop == no_index)
        return around.empty() ? program_item{item_kind::block, block}
                              : program_item{item_kind::loop, around.front()};
    auto const at = std::find(around.begin(), around.end(), loop);
    if (at == around.end())
        refuse(program, "the loop is not around the statement", loop, "name a loop around it");
    return at + 1 == around.end() ? program_item{item_kind::block, block}
                                  : program_item{item_kind::loop, *(at + 1)};
}

inline std::vector<program_item>& body_of(loop_program& program, std::uint32_t loop)
{
    return loop == no_index ? program.body : program.loops[loop].body;
}

inline void insert_copy(loop_program& program, std::uint32_t loop, program_item beside, bool before,
                        program_copy const& copy)
{
    program.copies.push_back(copy);
    program_item const item{item_kind::copy, static_cast<std::uint32_t>(program.copies.size() - 1)};
    std::vector<program_item>& body = body_of(program, loop);
    auto const at = std::find(body.begin(), body.end(), beside);
    body.insert(before ? at : at + 1, item);
}

/// Whether the digits of each coordinate go down to 1, each a multiple of the next one.
inline bool is_layout(std::vector<layout_digit> const& layout, std::size_t coordinates)
{
    std::vector<std::int64_t> last(coordinates, 0);
    for (layout_digit const& digit : layout) {
        if (digit.coordinate >= coordinates || digit.step < 1) return false;
        std::int64_t& former = last[digit.coordinate];
        if (former != 0 && (former % digit.step != 0 || former == digit.step)) return false;
        former = digit.step;
    }
    return std::all_of(last.begin(), last.end(), [](std::int64_t step) { return step == 1; });
}

} // namespace detail

ATTUNE_INLINE std::uint32_t cache_read(loop_program& program, std::uint32_t block,
                                       std::uint32_t access, std::uint32_t loop, copy_form form,
                                       std::vector<layout_digit> layout)
{
    program_item const towards = detail::item_towards(program, loop, block);
    nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
    std::vector<std::uint32_t> const reads = detail::accesses_of(program.nest, statement);
    if (std::find(reads.begin(), reads.end(), access) == reads.end())
        detail::refuse(program, "the statement does not read that access", loop,
                       "name one that it reads");
    detail::refuse_vector_loop(program, loop);
    for (buffer_use const& use : program.blocks[block].reads)
        if (use.access == access)
            detail::refuse(program, "the access reads a copy already", loop,
                           "copy each access once");
    nest_access const& from = program.nest.accesses[access];
    for (affine_index const& index : from.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0)
                detail::refuse(program, "an index of the access runs backwards", loop,
                               "read it without a copy");
    if (towards.kind == item_kind::loop)
        for (std::uint32_t const other : blocks_inside(program, towards.index))
            if (program.nest.statements[program.blocks[other].statement].target.array == from.array)
                detail::refuse(program,
                               "the array " + program.nest.arrays[from.array].name +
                                   " is computed inside the loop",
                               loop, "copy it further inside, after it is computed");
    program_buffer made;
    if (form == copy_form::array) {
        made.coordinates = from.at;
        made.source = detail::identity(from.at.size());
    } else {
        std::vector<std::uint32_t> axes;
        for (affine_index const& index : from.at)
            for (affine_term const& term : index.terms)
                if (std::find(axes.begin(), axes.end(), term.axis) == axes.end())
                    axes.push_back(term.axis);
        for (std::uint32_t const axis : axes)
            made.coordinates.push_back({{{axis, 1}}, 0});
        made.source = from.at;
        for (affine_index& index : made.source)
            for (affine_term& term : index.terms)
                term.axis = static_cast<std::uint32_t>(
                    std::find(axes.begin(), axes.end(), term.axis) - axes.begin());
    }
    if (layout.empty()) layout = detail::plain_layout(made.coordinates.size());
    if (!detail::is_layout(layout, made.coordinates.size()))
        detail::refuse(program, "the layout's digits do not make up the coordinates", loop,
                       "give each coordinate steps that divide each other, down to 1");
    made.name = detail::free_name(program, program.nest.arrays[from.array].name + "_copy");
    made.element = program.nest.arrays[from.array].element;
    made.array = from.array;
    made.loop = loop;
    made.layout = std::move(layout);
    auto const b = static_cast<std::uint32_t>(program.buffers.size());
    program.buffers.push_back(std::move(made));
    detail::insert_copy(program, loop, towards, true, {copy_kind::load, b, access, block});
    program.blocks[block].reads.push_back({access, b});
    return b;
}

ATTUNE_INLINE std::uint32_t cache_write(loop_program& program, std::uint32_t block,
                                        std::uint32_t loop, bool is_register)
{
    program_item const towards = detail::item_towards(program, loop, block);
    nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
    if (!detail::rules_of(statement.combine).joins_parts)
        detail::refuse(program, "the statement does not combine into its target", loop,
                       "cache sums, products, maxima, minima");
    detail::refuse_vector_loop(program, loop);
    detail::refuse_lanes_of_sum(program, block, loop);
    std::vector<std::uint32_t> outside = loops_around(program, {item_kind::block, block});
    while (!outside.empty() && outside.back() != loop)
        outside.pop_back();
    if (!detail::holds_parts(program.nest, statement))
        for (std::uint32_t const outer : outside)
            for (loop_range const& range : program.loops[outer].over)
                if (is_reduced(statement, range.axis))
                    detail::refuse(program,
                                   "a reduction loop is outside, and the array's type rounds sums "
                                   "that are not finished",
                                   outer, "cache around all reduction loops");
    if (std::uint32_t const part = program.blocks[block].target; part != no_index) {
        bool has_begin = false;
        for (program_copy const& copy : program.copies)
            has_begin = has_begin || (copy.kind == copy_kind::begin && copy.buffer == part);
        if (has_begin || program.buffers[part].loop != loop)
            detail::refuse(program, "the target is in a buffer already", loop,
                           "cache a target once, where it is computed");
        // What compute_at() made holds the sums from the beginning.
        program.buffers[part].element = statement.accumulator;
        program.buffers[part].is_register = is_register;
        detail::insert_copy(program, loop, towards, true,
                            {copy_kind::begin, part, no_index, block});
        return part;
    }
    if (towards.kind == item_kind::loop)
        for (std::uint32_t const other : blocks_inside(program, towards.index))
            if (other != block &&
                detail::reads_array(program.nest,
                                    program.nest.statements[program.blocks[other].statement],
                                    statement.target.array))
                detail::refuse(program,
                               "another statement reads the array " +
                                   program.nest.arrays[statement.target.array].name +
                                   " before the buffer is stored",
                               loop, "cache further inside, where the array is computed");
    program_buffer made;
    std::int64_t size = 1;
    for (affine_index const& index : statement.target.at) {
        made.coordinates.push_back(index);
        for (affine_term const& term : index.terms) {
            auto const steps = detail::steps_inside(program, loop, term.axis);
            if (!steps)
                detail::refuse(
                    program, "the part of the target inside the loop has no known size", loop,
                    "split axis " + program.nest.axes[term.axis].name + " outside of it");
            size *= *steps;
        }
    }
    if (is_register && size > 4096)
        detail::refuse(program, "no register tile has " + std::to_string(size) + " elements", loop,
                       "cache further inside");
    made.name =
        detail::free_name(program, program.nest.arrays[statement.target.array].name + "_tile");
    made.element = statement.accumulator;
    made.array = statement.target.array;
    made.loop = loop;
    made.source = detail::identity(made.coordinates.size());
    made.layout = detail::plain_layout(made.coordinates.size());
    made.is_register = is_register;
    auto const b = static_cast<std::uint32_t>(program.buffers.size());
    program.buffers.push_back(std::move(made));
    detail::insert_copy(program, loop, towards, true, {copy_kind::begin, b, no_index, block});
    detail::insert_copy(program, loop, towards, false, {copy_kind::store, b, no_index, block});
    program.blocks[block].target = b;
    return b;
}

} // namespace attune::inline ATTUNE_ABI
