// attune/space/schedule/placement.ipp - copies of read arrays, buffers of reductions, moved producers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/placement.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline std::vector<layout_digit> plain_layout(std::size_t coordinates)
{
    std::vector<layout_digit> out;
    for (std::uint32_t c = 0; c < coordinates; ++c)
        out.push_back({c, 1});
    return out;
}

inline std::vector<affine_index> identity(std::size_t coordinates)
{
    std::vector<affine_index> out;
    for (std::uint32_t c = 0; c < coordinates; ++c)
        out.push_back({{{c, 1}}, 0});
    return out;
}

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

/// Returns true if the digits of each coordinate end with 1, and each is a multiple of the next.
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
                           "copy the array once for each access");
    nest_access const& from = program.nest.accesses[access];
    for (affine_index const& index : from.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0)
                detail::refuse(program, "an index of the access falls while its axis grows", loop,
                               "read the array without a copy");
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
        detail::refuse(program, "the digits of the layout do not form the coordinates", loop,
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
                                   "a reduction loop is around the loop, and the type of the array "
                                   "would round partial sums",
                                   outer, "cache around all reduction loops");
    if (std::uint32_t const part = program.blocks[block].target; part != no_index) {
        bool has_begin = false;
        for (program_copy const& copy : program.copies)
            has_begin = has_begin || (copy.kind == copy_kind::begin && copy.buffer == part);
        if (has_begin || program.buffers[part].loop != loop)
            detail::refuse(program, "the target is in a buffer already", loop,
                           "cache a target once, where it is computed");
        // The buffer of compute_at() holds the partial sums, too.
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

namespace detail {

/// The new names of the producer's axes, by axis of the program.
inline std::vector<std::uint32_t> renamed_axes(loop_program const& program,
                                               nest_statement const& producer,
                                               std::vector<std::uint32_t> const& consumers,
                                               std::vector<std::uint32_t> const& outer_axes,
                                               std::uint32_t loop)
{
    std::vector<std::uint32_t> to(program.nest.axes.size());
    for (std::uint32_t a = 0; a < to.size(); ++a)
        to[a] = a;
    auto const is_outer = [&outer_axes](std::uint32_t axis) {
        return std::find(outer_axes.begin(), outer_axes.end(), axis) != outer_axes.end();
    };
    std::vector<bool> is_set(producer.target.at.size(), false);
    for (std::uint32_t const block : consumers)
        for (std::uint32_t const a :
             accesses_of(program.nest, program.nest.statements[program.blocks[block].statement])) {
            nest_access const& access = program.nest.accesses[a];
            if (access.array != producer.target.array) continue;
            for (std::size_t d = 0; d < access.at.size(); ++d) {
                affine_index const& index = access.at[d];
                std::uint32_t const own = producer.target.at[d].terms.front().axis;
                bool depends = false;
                for (affine_term const& term : index.terms)
                    depends = depends || is_outer(term.axis);
                std::uint32_t wanted = own;
                if (depends) {
                    bool const is_plain = index.terms.size() == 1 && index.offset == 0 &&
                                          index.terms.front().factor == 1;
                    wanted = index.terms.front().axis;
                    if (!is_plain ||
                        program.nest.axes[wanted].extent != program.nest.axes[own].extent)
                        refuse(
                            program,
                            "the statements inside need more elements than that of one iteration",
                            loop, "compute it further outside");
                } else if (is_outer(own)) {
                    refuse(program, "the statements inside need the element at another index", loop,
                           "compute it further outside");
                }
                if (is_set[d] && to[own] != wanted)
                    refuse(program, "two statements need different elements", loop,
                           "compute it further outside");
                is_set[d] = true;
                to[own] = wanted;
            }
        }
    return to;
}

inline void rename_axes(loop_program& program, std::uint32_t block,
                        std::vector<std::uint32_t> const& loops,
                        std::vector<std::uint32_t> const& to)
{
    nest_statement& statement = program.nest.statements[program.blocks[block].statement];
    auto const rename = [&to](affine_index& index) {
        for (affine_term& term : index.terms)
            term.axis = to[term.axis];
        std::sort(index.terms.begin(), index.terms.end(),
                  [](auto const& a, auto const& b) { return a.axis < b.axis; });
    };
    for (std::uint32_t const loop : loops)
        for (loop_range& range : program.loops[loop].over)
            range.axis = to[range.axis];
    for (affine_index& index : statement.target.at)
        rename(index);
    for (std::uint32_t& axis : statement.axes)
        axis = to[axis];
    // Nodes and accesses are copied, because other statements may share them.
    std::vector<std::uint32_t> node_to(program.nest.nodes.size(), no_index);
    std::vector<std::uint32_t> access_to(program.nest.accesses.size(), no_index);
    std::vector<bool> needed(program.nest.nodes.size(), false);
    if (statement.value != no_index) needed[statement.value] = true;
    std::size_t const nodes = program.nest.nodes.size();
    for (std::size_t n = nodes; n-- > 0;) {
        if (!needed[n]) continue;
        nest_node const& node = program.nest.nodes[n];
        for (std::uint32_t const operand : {node.first, node.second, node.third})
            if (operand != no_index) needed[operand] = true;
    }
    for (std::size_t n = 0; n < nodes; ++n) {
        if (!needed[n]) continue;
        nest_node node = program.nest.nodes[n];
        for (std::uint32_t* const operand : {&node.first, &node.second, &node.third})
            if (*operand != no_index) *operand = node_to[*operand];
        if (node.code == nest_op::axis) node.axis = to[node.axis];
        if (node.code == nest_op::access) {
            std::uint32_t& known = access_to[node.access];
            if (known == no_index) {
                nest_access access = program.nest.accesses[node.access];
                for (affine_index& index : access.at)
                    rename(index);
                known = static_cast<std::uint32_t>(program.nest.accesses.size());
                program.nest.accesses.push_back(std::move(access));
            }
            node.access = known;
        }
        node_to[n] = static_cast<std::uint32_t>(program.nest.nodes.size());
        program.nest.nodes.push_back(node);
    }
    statement.value = node_to[statement.value];
    for (buffer_use& use : program.blocks[block].reads)
        use.access = access_to[use.access];
}

/// Returns true if a statement runs after all iterations of an outermost loop.
inline bool runs_after(loop_program const& program, std::uint32_t block, std::uint32_t outermost)
{
    std::vector<std::uint32_t> const own = loops_around(program, {item_kind::block, block});
    program_item const item = own.empty() ? program_item{item_kind::block, block}
                                          : program_item{item_kind::loop, own.front()};
    auto const& body = program.body;
    auto const at = std::find(body.begin(), body.end(), program_item{item_kind::loop, outermost});
    return at != body.end() && std::find(at + 1, body.end(), item) != body.end();
}

} // namespace detail

ATTUNE_INLINE void compute_at(loop_program& program, std::uint32_t block, std::uint32_t loop)
{
    std::vector<std::uint32_t> const own = loops_around(program, {item_kind::block, block});
    nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
    std::uint32_t const array = statement.target.array;
    program_item const top = own.empty() ? program_item{item_kind::block, block}
                                         : program_item{item_kind::loop, own.front()};
    if (!own.empty() && blocks_inside(program, own.front()).size() != 1)
        detail::refuse(program, "the statement shares its loops with another one", own.front(),
                       "move the statements one by one");
    if (program.blocks[block].target != no_index || !program.blocks[block].reads.empty())
        detail::refuse(program, "the statement has buffers", loop,
                       "move the statement first, then make buffers");
    std::vector<std::uint32_t> around = loops_around(program, {item_kind::loop, loop});
    around.push_back(loop);
    detail::refuse_vector_loop(program, loop);
    if (!own.empty() && std::find(around.begin(), around.end(), own.front()) != around.end())
        detail::refuse(program, "the loop is a loop of the statement itself", loop,
                       "name a loop of a statement that reads its array");
    std::vector<std::uint32_t> outer_axes;
    for (std::uint32_t const at : around)
        for (loop_range const& range : program.loops[at].over)
            outer_axes.push_back(range.axis);
    std::vector<std::uint32_t> const inside = blocks_inside(program, loop);
    std::vector<std::uint32_t> consumers;
    bool is_read_later = false;
    for (std::uint32_t const other : blocks_inside(program, no_index)) {
        bool reads = false;
        for (std::uint32_t const a : detail::accesses_of(
                 program.nest, program.nest.statements[program.blocks[other].statement])) {
            if (program.nest.accesses[a].array != array) continue;
            reads = true;
            for (buffer_use const& use : program.blocks[other].reads)
                if (use.access == a)
                    detail::refuse(program,
                                   "a copy of " + program.nest.arrays[array].name + " is read",
                                   loop, "compute it there first, then make copies");
        }
        if (!reads) continue;
        bool const is_inside = std::find(inside.begin(), inside.end(), other) != inside.end();
        if (!is_inside && !detail::runs_after(program, other, around.front()))
            detail::refuse(program,
                           "a statement before the end of the loop, and outside of it, reads " +
                               program.nest.arrays[array].name,
                           loop, "compute it further outside");
        if (is_inside)
            consumers.push_back(other);
        else
            is_read_later = true;
    }
    if (consumers.empty())
        detail::refuse(program, "no statement there reads " + program.nest.arrays[array].name, loop,
                       "name a loop around a statement that reads it");
    // Arrays that the producer reads must be complete before the body of the loop begins.
    for (std::uint32_t const a : detail::accesses_of(program.nest, statement))
        for (std::uint32_t const other : inside)
            if (program.nest.statements[program.blocks[other].statement].target.array ==
                program.nest.accesses[a].array)
                detail::refuse(program, "the statement reads an array computed inside the loop",
                               loop, "move the producers one by one, the last one first");
    bool const is_temporary = program.nest.arrays[array].role == nest_role::temporary;
    std::vector<std::uint32_t> const to =
        detail::renamed_axes(program, statement, consumers, outer_axes, loop);
    bool is_again = false; // some elements are computed more than once
    for (std::uint32_t const axis : outer_axes) {
        bool is_own = false;
        for (std::uint32_t s = 0; s < statement.spatial_count; ++s)
            is_own = is_own || to[statement.axes[s]] == axis;
        is_again = is_again || !is_own;
        for (std::uint32_t const former : statement.axes)
            if (to[former] != former && std::find(statement.axes.begin(), statement.axes.end(),
                                                  to[former]) != statement.axes.end())
                detail::refuse(program, "two axes of the statement would be one", loop,
                               "compute it further outside");
        if (is_reduced(statement, axis))
            detail::refuse(program, "a reduction axis of the statement is one of the loops around",
                           loop, "declare another axis for the statement");
    }
    if (is_again && statement.continues)
        detail::refuse(program, "the statement would add to an array more than once", loop,
                       "compute it further outside");
    if (is_again && !is_temporary)
        detail::refuse(program, "the statement would write an argument more than once", loop,
                       "compute it further outside");
    if (is_again && is_read_later)
        detail::refuse(program, "a later statement reads an array that would be computed twice",
                       loop, "compute it further outside");
    std::vector<program_item>& from = detail::items_with(program, top);
    from.erase(std::find(from.begin(), from.end(), top));
    std::vector<std::uint32_t> loops = own;
    detail::rename_axes(program, block, loops, to);
    std::vector<program_item>& body = program.loops[loop].body;
    // The producer comes before the first item that needs it.
    auto at = body.begin();
    for (; at != body.end(); ++at) {
        if (at->kind == item_kind::copy) continue;
        std::vector<std::uint32_t> const held = at->kind == item_kind::block
                                                    ? std::vector<std::uint32_t>{at->index}
                                                    : blocks_inside(program, at->index);
        bool needs = false;
        for (std::uint32_t const b : held)
            needs = needs || std::find(consumers.begin(), consumers.end(), b) != consumers.end();
        if (needs) break;
    }
    body.insert(at, top);
    if (!is_temporary || is_read_later) return; // the array itself has all elements
    nest_statement const& moved = program.nest.statements[program.blocks[block].statement];
    program_buffer made;
    made.name = detail::free_name(program, program.nest.arrays[array].name + "_part");
    made.element = program.nest.arrays[array].element;
    made.array = array;
    made.loop = loop;
    made.coordinates = moved.target.at;
    made.source = detail::identity(made.coordinates.size());
    made.layout = detail::plain_layout(made.coordinates.size());
    auto const b = static_cast<std::uint32_t>(program.buffers.size());
    program.buffers.push_back(std::move(made));
    // A reduction combines as without the buffer, and writes the buffer at its end.
    program.blocks[block].target = b;
    for (std::uint32_t const consumer : consumers)
        for (std::uint32_t const a : detail::accesses_of(
                 program.nest, program.nest.statements[program.blocks[consumer].statement]))
            if (program.nest.accesses[a].array == array)
                program.blocks[consumer].reads.push_back({a, b});
}

} // namespace attune::inline ATTUNE_ABI
