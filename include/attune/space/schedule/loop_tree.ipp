// attune/space/schedule/loop_tree.ipp - the definitions of loop_tree.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/nest/for_each_node.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline bool find_path(loop_program const& program, std::vector<program_item> const& items,
                      program_item wanted, std::vector<std::uint32_t>& path)
{
    for (program_item const item : items) {
        if (item == wanted) return true;
        if (item.kind != item_kind::loop) continue;
        path.push_back(item.index);
        if (find_path(program, program.loops[item.index].body, wanted, path)) return true;
        path.pop_back();
    }
    return false;
}

inline void collect_blocks(loop_program const& program, std::vector<program_item> const& items,
                           std::vector<std::uint32_t>& blocks)
{
    for (program_item const item : items) {
        if (item.kind == item_kind::block) blocks.push_back(item.index);
        if (item.kind == item_kind::loop)
            collect_blocks(program, program.loops[item.index].body, blocks);
    }
}

ATTUNE_INLINE std::vector<program_item>& items_with(loop_program& program, program_item item)
{
    std::vector<std::uint32_t> const path = loops_around(program, item);
    return path.empty() ? program.body : program.loops[path.back()].body;
}

ATTUNE_INLINE std::vector<std::uint32_t> accesses_of(nest_description const& nest,
                                                     nest_statement const& statement)
{
    std::vector<std::uint32_t> out;
    for_each_node(nest, statement.value, [&](std::uint32_t, nest_node const& node) {
        if (node.code == nest_op::access &&
            std::find(out.begin(), out.end(), node.access) == out.end())
            out.push_back(node.access);
    });
    return out;
}

ATTUNE_INLINE bool reads_array(nest_description const& nest, nest_statement const& statement,
                               std::uint32_t array)
{
    for (std::uint32_t const a : accesses_of(nest, statement))
        if (nest.accesses[a].array == array) return true;
    return false;
}

ATTUNE_INLINE void refuse(loop_program const& program, std::string const& what, std::uint32_t loop,
                          std::string const& next)
{
    std::string where = program.nest.name;
    if (loop < program.loops.size() && !program.loops[loop].over.empty())
        where += ", loop " + loop_name(program, loop);
    throw error(what, where, next);
}

ATTUNE_INLINE void refuse_vector_loop(loop_program const& program, std::uint32_t loop)
{
    if (loop != no_index && program.loops[loop].kind == loop_kind::vectorized)
        refuse(program, "a vector loop holds its statements alone", loop, "vectorize afterwards");
}

ATTUNE_INLINE void refuse_lanes_of_sum(loop_program const& program, std::uint32_t block,
                                       std::uint32_t loop)
{
    std::vector<std::uint32_t> const path = loops_around(program, {item_kind::block, block});
    if (path.empty() || program.loops[path.back()].kind != loop_kind::vectorized) return;
    nest_statement const& statement = program.nest.statements[program.blocks[block].statement];
    if (is_reduced(statement, program.loops[path.back()].over.front().axis))
        refuse(program, "the lanes of its innermost loop are parts of a sum", loop,
               "vectorize afterwards");
}

inline void require_loop(loop_program const& program, std::uint32_t loop)
{
    if (loop >= program.loops.size() || program.loops[loop].body.empty())
        throw error("there is no loop " + std::to_string(loop), program.nest.name,
                    "name a loop that the program still has");
}

} // namespace detail

ATTUNE_INLINE std::vector<std::uint32_t> loops_around(loop_program const& program,
                                                      program_item item)
{
    std::vector<std::uint32_t> path;
    if (!detail::find_path(program, program.body, item, path))
        throw error("the program has no such loop, block or copy",
                    program.nest.name + ", number " + std::to_string(item.index),
                    "name one that no earlier step has taken away");
    return path;
}

ATTUNE_INLINE std::vector<std::uint32_t> blocks_inside(loop_program const& program,
                                                       std::uint32_t loop)
{
    std::vector<std::uint32_t> blocks;
    detail::collect_blocks(program, loop == no_index ? program.body : program.loops[loop].body,
                           blocks);
    return blocks;
}

ATTUNE_INLINE std::string loop_name(loop_program const& program, std::uint32_t loop)
{
    std::string name;
    std::vector<std::uint32_t> const around = loops_around(program, {item_kind::loop, loop});
    for (loop_range const& range : program.loops[loop].over) {
        std::size_t level = 0;
        for (std::uint32_t const outer : around)
            for (loop_range const& other : program.loops[outer].over)
                level += other.axis == range.axis ? 1U : 0U;
        name += (name.empty() ? "" : "*") + program.nest.axes[range.axis].name + '_' +
                std::to_string(level);
    }
    return name;
}

namespace detail {

ATTUNE_INLINE std::optional<std::int64_t> steps_inside(loop_program const& program,
                                                       std::uint32_t loop, std::uint32_t axis)
{
    nest_extent const& extent = program.nest.axes[axis].extent;
    std::optional<std::int64_t> out;
    if (extent.input == no_index) out = extent.constant;
    if (loop == no_index) return out;
    std::vector<std::uint32_t> path = loops_around(program, {item_kind::loop, loop});
    path.push_back(loop);
    for (std::uint32_t const at : path)
        for (loop_range const& range : program.loops[at].over)
            if (range.axis == axis) out = out ? std::min(*out, range.step) : range.step;
    return out;
}

} // namespace detail

ATTUNE_INLINE std::optional<std::int64_t> iterations_of(loop_program const& program,
                                                        std::uint32_t loop)
{
    detail::require_loop(program, loop);
    std::vector<std::uint32_t> const around = loops_around(program, {item_kind::loop, loop});
    std::uint32_t const parent = around.empty() ? no_index : around.back();
    std::int64_t all = 1;
    for (loop_range const& range : program.loops[loop].over) {
        auto const steps = detail::steps_inside(program, parent, range.axis);
        if (!steps) return {};
        all *= (*steps + range.step - 1) / range.step;
    }
    return all;
}

ATTUNE_INLINE bool is_reduced(nest_statement const& statement, std::uint32_t axis)
{
    auto const first = statement.axes.begin() + statement.spatial_count;
    return std::find(first, statement.axes.end(), axis) != statement.axes.end();
}

ATTUNE_INLINE bool is_spatial(nest_statement const& statement, std::uint32_t axis)
{
    auto const end = statement.axes.begin() + statement.spatial_count;
    return std::find(statement.axes.begin(), end, axis) != end;
}

} // namespace attune::inline ATTUNE_ABI
