// attune/space/schedule/transform.ipp - the definitions of transform.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::int64_t most_unrolled = 256;

/// Moves the body of a loop, with its buffers, to the loop `to`.
inline void move_body(loop_program& program, std::uint32_t from, std::uint32_t to)
{
    program.loops[to].body = std::move(program.loops[from].body);
    program.loops[from].body.clear();
    for (program_buffer& buffer : program.buffers)
        if (buffer.loop == from) buffer.loop = to;
}

inline bool runs_over(program_loop const& loop, std::uint32_t axis)
{
    for (loop_range const& range : loop.over)
        if (range.axis == axis) return true;
    return false;
}

/// Refuses a loop that is not in the body of this program.
inline void require_known_loop(loop_program const& program, std::uint32_t loop)
{
    require_loop(program, loop);
    (void)loops_around(program, {item_kind::loop, loop});
}

/// The loops from the outermost to the innermost of `some`, each the only item of the previous one.
inline std::vector<std::uint32_t> chain_of(loop_program const& program,
                                           std::vector<std::uint32_t> const& some)
{
    std::uint32_t top = some.front();
    std::size_t depth = loops_around(program, {item_kind::loop, top}).size();
    for (std::uint32_t const loop : some) {
        std::size_t const own = loops_around(program, {item_kind::loop, loop}).size();
        if (own < depth) {
            depth = own;
            top = loop;
        }
    }
    std::vector<std::uint32_t> chain{top};
    std::size_t found = 1;
    while (found < some.size()) {
        std::vector<program_item> const& body = program.loops[chain.back()].body;
        if (body.size() != 1 || body.front().kind != item_kind::loop)
            refuse(program, "the loops to reorder are not directly inside each other", chain.back(),
                   "reorder before copies and other statements come between them");
        chain.push_back(body.front().index);
        if (std::find(some.begin(), some.end(), chain.back()) != some.end()) ++found;
    }
    return chain;
}

} // namespace detail

ATTUNE_INLINE std::uint32_t split_loop(loop_program& program, std::uint32_t loop,
                                       std::int64_t factor, split_rest rest)
{
    detail::require_known_loop(program, loop);
    if (factor < 1)
        detail::refuse(program, "a loop is split by a factor below 1", loop, "use 1 or more");
    if (program.loops[loop].over.size() != 1)
        detail::refuse(program, "a fused loop cannot be split", loop, "split before fusing");
    if (program.loops[loop].kind == loop_kind::vectorized)
        detail::refuse(program, "a vector loop cannot be split", loop, "split before vectorizing");
    if (rest == split_rest::refused) {
        auto const all = iterations_of(program, loop);
        if (!all || *all % factor != 0)
            detail::refuse(program,
                           "the factor " + std::to_string(factor) +
                               " does not divide the iterations" +
                               (all ? ", " + std::to_string(*all) : std::string(" of an input")),
                           loop, "use a divisor, or allow a tail");
    }
    auto const inner = static_cast<std::uint32_t>(program.loops.size());
    program_loop made;
    made.over = program.loops[loop].over;
    program.loops.push_back(std::move(made));
    detail::move_body(program, loop, inner);
    program.loops[loop].over.front().step *= factor;
    program.loops[loop].body = {{item_kind::loop, inner}};
    program.loops[inner].unroll = std::exchange(program.loops[loop].unroll, 0);
    return inner;
}

ATTUNE_INLINE void reorder_loops(loop_program& program, std::vector<std::uint32_t> const& order)
{
    if (order.size() < 2) return;
    for (std::size_t i = 0; i < order.size(); ++i) {
        detail::require_known_loop(program, order[i]);
        if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), order[i]) !=
            order.begin() + static_cast<std::ptrdiff_t>(i))
            detail::refuse(program, "a loop is listed twice", order[i], "list each loop once");
    }
    std::vector<std::uint32_t> const chain = detail::chain_of(program, order);
    std::vector<std::uint32_t> wanted = chain;
    std::size_t next = 0;
    for (std::uint32_t& loop : wanted)
        if (std::find(order.begin(), order.end(), loop) != order.end()) loop = order[next++];
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t k = i + 1; k < wanted.size(); ++k)
            for (loop_range const& outer : program.loops[wanted[i]].over)
                for (loop_range const& inner : program.loops[wanted[k]].over)
                    if (outer.axis == inner.axis && outer.step < inner.step)
                        detail::refuse(program,
                                       "the inner loop of a split would be outside its outer loop",
                                       wanted[i], "keep loops over one axis in their order");
    for (std::size_t i = 0; i + 1 < wanted.size(); ++i)
        if (program.loops[wanted[i]].kind == loop_kind::vectorized)
            detail::refuse(program, "a vector loop would not be innermost", wanted[i],
                           "keep it innermost");
    for (std::uint32_t const block : blocks_inside(program, chain.front())) {
        detail::refuse_lanes_of_sum(program, block, chain.front());
        nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
        if (statement.combine == reduction::argument_of_maximum)
            detail::refuse(program, "another order could find another of several equal maxima",
                           chain.front(),
                           "keep the order of the loops of an argument of a maximum");
    }
    program_item const top{item_kind::loop, chain.front()};
    std::vector<program_item>& around = detail::items_with(program, top);
    std::find(around.begin(), around.end(), top)->index = wanted.front();
    std::vector<program_item> inside = std::move(program.loops[chain.back()].body);
    std::vector<std::uint32_t> lying; // buffers of the innermost body
    for (std::uint32_t b = 0; b < program.buffers.size(); ++b)
        if (program.buffers[b].loop == chain.back()) lying.push_back(b);
    for (std::size_t i = 0; i + 1 < wanted.size(); ++i)
        program.loops[wanted[i]].body = {{item_kind::loop, wanted[i + 1]}};
    program.loops[wanted.back()].body = std::move(inside);
    for (std::uint32_t const b : lying)
        program.buffers[b].loop = wanted.back();
}

ATTUNE_INLINE void fuse_loops(loop_program& program, std::uint32_t outer, std::uint32_t inner)
{
    detail::require_known_loop(program, outer);
    detail::require_known_loop(program, inner);
    program_loop& first = program.loops[outer];
    program_loop& second = program.loops[inner];
    if (first.body.size() != 1 || first.body.front() != program_item{item_kind::loop, inner})
        detail::refuse(program, "the loops to fuse are not directly inside each other", outer,
                       "fuse neighbours, before copies come between them");
    if (first.kind != loop_kind::serial || second.kind != loop_kind::serial)
        detail::refuse(program, "a parallel, vector or unrolled loop cannot be fused", outer,
                       "fuse first, then parallelize, vectorize or unroll");
    for (loop_range const& range : second.over)
        if (detail::runs_over(first, range.axis))
            detail::refuse(program, "both loops are over one axis", outer,
                           "fuse loops over different axes");
    for (std::uint32_t const block : blocks_inside(program, inner)) {
        nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
        bool reduced = false;
        bool spatial = false;
        for (program_loop const* const loop : {&first, &second})
            for (loop_range const& range : loop->over) {
                reduced = reduced || is_reduced(statement, range.axis);
                spatial = spatial || is_spatial(statement, range.axis);
            }
        if (reduced && spatial)
            detail::refuse(program, "one loop is over a spatial axis, one over a reduction axis",
                           outer, "fuse loops of one kind");
    }
    first.over.insert(first.over.end(), second.over.begin(), second.over.end());
    detail::move_body(program, inner, outer);
}

ATTUNE_INLINE void parallelize(loop_program& program, std::uint32_t loop)
{
    detail::require_known_loop(program, loop);
    if (program.loops[loop].kind != loop_kind::serial)
        detail::refuse(program, "the loop is vectorized or unrolled", loop,
                       "parallelize an outer loop");
    for (std::uint32_t const outer : loops_around(program, {item_kind::loop, loop}))
        if (program.loops[outer].kind == loop_kind::parallel)
            detail::refuse(program, "a loop around it is parallel", loop, "fuse the two instead");
    for (std::uint32_t const block : blocks_inside(program, loop)) {
        nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
        for (loop_range const& range : program.loops[loop].over) {
            if (is_spatial(statement, range.axis)) continue;
            // Each iteration has its own copy of a buffer inside the loop.
            std::uint32_t const target = program.blocks[block].target;
            bool is_own = false;
            if (target != no_index && program.buffers[target].loop != no_index) {
                std::uint32_t const at = program.buffers[target].loop;
                std::vector<std::uint32_t> path = loops_around(program, {item_kind::loop, at});
                path.push_back(at);
                is_own = std::find(path.begin(), path.end(), loop) != path.end() &&
                         !is_reduced(statement, range.axis);
                for (program_copy const& copy : program.copies)
                    is_own = is_own && !(copy.buffer == target && copy.kind == copy_kind::store);
            }
            if (!is_own)
                detail::refuse(program,
                               "iterations of the loop write the same elements of " +
                                   program.nest.arrays[statement.target.array].name,
                               loop,
                               "parallelize a loop over an axis of the target, or use rfactor");
        }
    }
    program.loops[loop].kind = loop_kind::parallel;
}

ATTUNE_INLINE void vectorize(loop_program& program, std::uint32_t loop)
{
    detail::require_known_loop(program, loop);
    program_loop const& of = program.loops[loop];
    if (of.over.size() != 1 || of.over.front().step != 1)
        detail::refuse(program, "the loop is fused, or its step is not 1", loop,
                       "split it and vectorize the inner loop");
    if (of.kind != loop_kind::serial)
        detail::refuse(program, "the loop is parallel or unrolled", loop, "split it first");
    for (program_item const item : of.body)
        if (item.kind != item_kind::block)
            detail::refuse(program, "the loop holds a further loop or a copy", loop,
                           "vectorize an innermost loop");
    auto const lanes = iterations_of(program, loop);
    if (!lanes || *lanes > detail::most_unrolled)
        detail::refuse(program,
                       "a vector loop has at most " + std::to_string(detail::most_unrolled) +
                           " iterations",
                       loop, "split it first");
    std::uint32_t const axis = of.over.front().axis;
    std::vector<std::uint32_t> const around = loops_around(program, {item_kind::loop, loop});
    for (program_item const item : of.body) {
        program_block const& block = program.blocks[item.index];
        nest_statement const& statement = program.nest.statements[block.statement];
        if (is_spatial(statement, axis)) continue;
        if (!is_reduced(statement, axis) || statement.combine == reduction::argument_of_maximum)
            detail::refuse(program, "all lanes would write one element", loop,
                           "vectorize a loop over an axis of the target");
        bool reduces = false;
        bool is_mixed = false;
        for (program_copy const& copy : program.copies)
            is_mixed = is_mixed || (copy.kind == copy_kind::begin && copy.block == item.index);
        for (std::uint32_t const outer : around)
            for (loop_range const& range : program.loops[outer].over) {
                reduces = reduces || is_reduced(statement, range.axis);
                is_mixed = is_mixed || (reduces && is_spatial(statement, range.axis));
            }
        if (is_mixed)
            detail::refuse(program,
                           "lanes of a sum need all spatial loops around its reduction loops, and "
                           "no buffer",
                           loop, "reorder first, or use rfactor");
    }
    program.loops[loop].kind = loop_kind::vectorized;
}

ATTUNE_INLINE void unroll(loop_program& program, std::uint32_t loop, std::uint32_t copies)
{
    detail::require_known_loop(program, loop);
    if (program.loops[loop].kind != loop_kind::serial)
        detail::refuse(program, "the loop is parallel or vectorized", loop, "unroll a serial loop");
    if (copies == 0) {
        auto const all = iterations_of(program, loop);
        if (!all || *all > detail::most_unrolled)
            detail::refuse(program,
                           "more than " + std::to_string(detail::most_unrolled) +
                               " iterations would be written out",
                           loop, "split it first, or give the number of copies");
        program.loops[loop].kind = loop_kind::unrolled;
        return;
    }
    program.loops[loop].unroll = copies;
}

ATTUNE_INLINE void stream_stores(loop_program& program, std::uint32_t block)
{
    nest_statement const& of = program.nest.statements[program.blocks[block].statement];
    nest_array const& target = program.nest.arrays[of.target.array];
    if (of.combine != reduction::none || target.role == nest_role::temporary)
        throw error("a statement that combines values or writes a temporary cannot store past the "
                    "caches",
                    target.name, "stream a statement that computes each element of a result once");
    program.blocks[block].is_streamed = true;
}

namespace detail {

/// All accesses of a program to an array, with those of targets.
inline std::vector<nest_access> accesses_to(loop_program const& program, std::uint32_t array)
{
    nest_description const& nest = program.nest;
    std::vector<nest_access> out;
    for (std::uint32_t const b : blocks_inside(program, no_index)) {
        nest_statement const& of = nest.statements[program.blocks[b].statement];
        if (of.target.array == array) out.push_back(of.target);
        for (std::uint32_t const a : accesses_of(nest, of))
            if (nest.accesses[a].array == array) out.push_back(nest.accesses[a]);
    }
    return out;
}

/// The dimension of an array along an axis.
/// @return  no_index if no access has the axis; nothing if accesses differ in its dimension or
///          index, or if the elements of one slice are not contiguous
inline std::optional<std::uint32_t> sliced_dimension(loop_program const& program,
                                                     std::uint32_t array, std::uint32_t axis)
{
    nest_array const& of = program.nest.arrays[array];
    affine_index const own{{{axis, 1}}, 0};
    std::vector<nest_access> const accesses = accesses_to(program, array);
    std::uint32_t out = no_index;
    for (nest_access const& access : accesses)
        for (std::uint32_t d = 0; d < access.at.size(); ++d)
            for (affine_term const& term : access.at[d].terms)
                if (term.axis == axis) out = out == no_index || out == d ? d : no_index - 1;
    if (out == no_index) return out;
    if (out >= of.extents.size() || of.extents[out] != program.nest.axes[axis].extent) return {};
    for (nest_access const& access : accesses)
        if (access.at[out] != own) return {};
    for (std::uint32_t d = 0; d < out; ++d)
        if (of.extents[d] != nest_extent{1, no_index}) return {};
    return out;
}

} // namespace detail

ATTUNE_INLINE void slice_program(loop_program& program, std::uint32_t axis, std::int64_t step,
                                 bool in_threads)
{
    nest_description& nest = program.nest;
    std::string const where =
        nest.name + (axis < nest.axes.size() ? ", axis " + nest.axes[axis].name : "");
    if (axis >= nest.axes.size() || step < 1)
        throw error("a program is sliced along an axis, by steps of 1 or more", where,
                    "name an axis of the program");
    if (!program.buffers.empty())
        throw error("a program with buffers cannot be sliced", where, "slice it first");
    for (program_slice const& known : program.slices)
        if (known.axis == axis)
            throw error("the axis is sliced already", where, "slice another axis");
    nest_extent const extent = nest.axes[axis].extent;
    if (extent.input != no_index ? step != 1 : extent.constant % step != 0)
        throw error("the step of a slice does not divide the extent", where,
                    "take a divisor; 1 if the extent is an input");
    for (std::uint32_t const b : blocks_inside(program, no_index)) {
        nest_statement const& of = nest.statements[program.blocks[b].statement];
        bool has_value = false;
        detail::for_each_node(nest, of.value, [&](std::uint32_t, nest_node const& node) {
            has_value = has_value || (node.code == nest_op::axis && node.axis == axis);
        });
        if (!is_spatial(of, axis) || has_value)
            throw error("a target lacks the axis of the slices, or a statement uses its value",
                        where, "slice another axis");
        for (std::uint32_t const loop : loops_around(program, {item_kind::block, b}))
            if (program.loops[loop].kind != loop_kind::serial ||
                program.loops[loop].over.size() != 1 || program.loops[loop].over.front().step != 1)
                throw error("a program with other steps cannot be sliced", where, "slice it first");
    }
    program_slice made{axis, extent, step, in_threads, {}};
    for (std::uint32_t a = 0; a < nest.arrays.size(); ++a) {
        auto const dimension = detail::sliced_dimension(program, a, axis);
        if (!dimension)
            throw error("the slices of " + nest.arrays[a].name +
                            " have common elements, or are not contiguous",
                        where, "slice another axis");
        made.dimensions.push_back(*dimension);
    }
    nest.axes[axis].extent = {step, no_index};
    for (std::uint32_t a = 0; a < nest.arrays.size(); ++a) {
        if (made.dimensions[a] == no_index) continue;
        nest.arrays[a].extents[made.dimensions[a]] = {step, no_index};
        nest.arrays[a].is_constant = false; // a kept form would hold only one slice
    }
    program.slices.push_back(std::move(made));
}

} // namespace attune::inline ATTUNE_ABI
