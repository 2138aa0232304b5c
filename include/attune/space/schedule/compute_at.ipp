// attune/space/schedule/compute_at.ipp - renames the producer's axes, and moves it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/compute_at.hpp>
#include <attune/space/schedule/detail/new_buffer.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// How compute_at() renames the producer's axes, per axis of the program.
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
                            "the statements inside need more than the element at the loops' place",
                            loop, "compute it further outside");
                } else if (is_outer(own)) {
                    refuse(program, "an axis of the loops around means another index there", loop,
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
    // Copies of the nodes and accesses: other statements may share the former ones.
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
                       "move it first, then make buffers");
    std::vector<std::uint32_t> around = loops_around(program, {item_kind::loop, loop});
    around.push_back(loop);
    detail::refuse_vector_loop(program, loop);
    if (!own.empty() && std::find(around.begin(), around.end(), own.front()) != around.end())
        detail::refuse(program, "the loop is the statement's own", loop,
                       "name a loop of a statement that reads it");
    std::vector<std::uint32_t> outer_axes;
    for (std::uint32_t const at : around)
        for (loop_range const& range : program.loops[at].over)
            outer_axes.push_back(range.axis);
    std::vector<std::uint32_t> const inside = blocks_inside(program, loop);
    std::vector<std::uint32_t> consumers;
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
        if (std::find(inside.begin(), inside.end(), other) == inside.end())
            detail::refuse(
                program, "a statement outside of the loop reads " + program.nest.arrays[array].name,
                loop, "compute it further outside");
        consumers.push_back(other);
    }
    if (consumers.empty())
        detail::refuse(program, "no statement there reads " + program.nest.arrays[array].name, loop,
                       "name a loop around a statement that reads it");
    // What the producer itself reads must be computed before the loop's body, or at its beginning.
    for (std::uint32_t const a : detail::accesses_of(program.nest, statement))
        for (std::uint32_t const other : inside)
            if (program.nest.statements[program.blocks[other].statement].target.array ==
                program.nest.accesses[a].array)
                detail::refuse(program, "the statement reads what is computed inside the loop",
                               loop,
                               "move its consumers' producers in their order, the last one first");
    bool const is_temporary = program.nest.arrays[array].role == nest_role::temporary;
    std::vector<std::uint32_t> const to =
        detail::renamed_axes(program, statement, consumers, outer_axes, loop);
    bool is_again = false; // computed more than once
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
                           loop, "give the statement an axis of its own");
    }
    if (is_again && statement.continues)
        detail::refuse(program, "what is added to an array would be added more than once", loop,
                       "compute it further outside");
    if (is_again && !is_temporary)
        detail::refuse(program, "an argument would be written more than once", loop,
                       "compute it further outside");
    std::vector<program_item>& from = detail::items_with(program, top);
    from.erase(std::find(from.begin(), from.end(), top));
    std::vector<std::uint32_t> loops = own;
    detail::rename_axes(program, block, loops, to);
    std::vector<program_item>& body = program.loops[loop].body;
    // Before the first item that needs it.
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
    if (!is_temporary) return;
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
    // A reduction keeps its own way of combining, and writes the buffer where it ends.
    program.blocks[block].target = b;
    for (std::uint32_t const consumer : consumers)
        for (std::uint32_t const a : detail::accesses_of(
                 program.nest, program.nest.statements[program.blocks[consumer].statement]))
            if (program.nest.accesses[a].array == array)
                program.blocks[consumer].reads.push_back({a, b});
}

} // namespace attune::inline ATTUNE_ABI
