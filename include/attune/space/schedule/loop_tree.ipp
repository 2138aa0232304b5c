// attune/space/schedule/loop_tree.ipp - walks over loops; a hash that is equal for equal code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Hashes a program from outside in. Buffers are numbered in the order of creation, items by place.
class structure_walk {
public:
    explicit structure_walk(loop_program const& program)
        : program_(program)
        , number_(program.buffers.size(), no_index)
        , has_begun_(program.blocks.size(), false)
    {
        add_nest();
        for (program_slice const& slice : program.slices) {
            add(slice.axis, slice.step, slice.is_parallel);
            add(slice.extent);
        }
        std::vector<std::int64_t> left;
        for (nest_axis const& axis : program.nest.axes)
            left.push_back(axis.extent.input == no_index ? axis.extent.constant : -1);
        enter(no_index, program.body, left);
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

private:
    template <class... Words>
    void add(Words... words)
    {
        ((hash_ = mixed(hash_, static_cast<std::uint64_t>(words))), ...);
    }

    // ---- the statements

    void add(nest_extent const& extent)
    {
        add(extent.input);
        if (extent.input == no_index) add(extent.constant);
    }
    void add(std::vector<affine_index> const& all)
    {
        add(all.size());
        for (affine_index const& index : all) {
            add(index.terms.size(), index.offset);
            for (affine_term const& term : index.terms)
                add(term.axis, term.factor);
        }
    }
    void add(nest_access const& access)
    {
        add(access.array, access.is_padded);
        add(access.at);
    }

    void add_nest()
    {
        nest_description const& nest = program_.nest;
        add(nest.inputs.size(), nest.axes.size(), nest.arrays.size(), nest.accesses.size(),
            nest.nodes.size(), nest.statements.size());
        for (nest_input const& input : nest.inputs)
            add(input.type);
        for (nest_axis const& axis : nest.axes)
            add(axis.extent);
        for (nest_array const& array : nest.arrays) {
            add(array.element, array.role, array.has_row_stride, array.is_constant,
                array.extents.size());
            for (nest_extent const& extent : array.extents)
                add(extent);
        }
        for (nest_access const& access : nest.accesses)
            add(access);
        for (nest_node const& node : nest.nodes)
            add(node.code, node.type, node.first, node.second, node.third,
                std::bit_cast<std::uint64_t>(node.literal), node.access, node.axis, node.input);
        for (nest_statement const& s : nest.statements) {
            add(s.target);
            add(s.axes.size(), s.spatial_count, s.combine, s.continues, s.accumulator, s.value);
            for (std::uint32_t const axis : s.axes)
                add(axis);
        }
    }

    // ---- the loops

    enum class mark : std::uint8_t { buffer, loop, once, begin, end, block, copy };

    /// Hashes the items inside a loop (no_index: the program), after its buffers.
    /// @param left  per axis: the most steps that outer loops leave; -1: unknown
    void enter(std::uint32_t loop, std::vector<program_item> const& items,
               std::vector<std::int64_t> const& left)
    {
        for (std::uint32_t b = 0; b < program_.buffers.size(); ++b)
            if (program_.buffers[b].loop == loop) add_buffer(b);
        bool const has_several =
            std::count_if(items.begin(), items.end(), [](program_item const& item) {
                return item.kind == item_kind::loop;
            }) > 1;
        for (program_item const item : items) {
            if (item.kind == item_kind::loop) add_loop(item.index, left, has_several);
            if (item.kind == item_kind::block) add_block(item.index);
            if (item.kind == item_kind::copy) add_copy(program_.copies[item.index]);
        }
    }

    /// @param is_beside  there are other loops in the same place
    void add_loop(std::uint32_t index, std::vector<std::int64_t> left, bool is_beside)
    {
        program_loop const& loop = program_.loops[index];
        bool is_once = loop.over.size() == 1;
        for (loop_range const& range : loop.over) {
            std::int64_t& steps = left[range.axis];
            is_once = is_once && steps > 0 && steps <= range.step;
            if (steps < 0 || steps > range.step) steps = range.step;
        }
        add_begun(index);
        if (is_once) {
            // The code does not have this loop. Its kind decides where large buffers begin and
            // which loops the compiler unrolls; beside other loops, where tiles begin.
            bool const is_known =
                is_beside || loop.kind == loop_kind::parallel || loop.kind == loop_kind::unrolled;
            if (is_known) add(mark::once, loop.kind);
            enter(index, loop.body, left);
            if (is_known) add(mark::end);
            return;
        }
        bool const is_partly = loop.kind != loop_kind::unrolled && loop.unroll > 1;
        add(mark::loop, loop.kind, is_partly ? loop.unroll : 0);
        add(loop.over.size());
        for (loop_range const& range : loop.over)
            add(range.axis, range.step);
        enter(index, loop.body, left);
        add(mark::end);
    }

    /// Hashes the reductions without a buffer that begin at a loop, also at a loop of one step.
    /// They begin in a local variable if no spatial loop is inside, else in their array.
    void add_begun(std::uint32_t index)
    {
        for (std::uint32_t const b : blocks_inside(program_, index)) {
            nest_statement const& of = program_.nest.statements[program_.blocks[b].statement];
            bool is_own = false;
            for (loop_range const& range : program_.loops[index].over)
                is_own = is_own || is_reduced(of, range.axis);
            if (has_begun_[b] || !is_own || of.combine == reduction::none) continue;
            has_begun_[b] = true;
            bool const has_tile = std::any_of(
                program_.copies.begin(), program_.copies.end(), [b](program_copy const& copy) {
                    return copy.kind == copy_kind::begin && copy.block == b;
                });
            if (has_tile) continue;
            bool is_local = true;
            bool is_inside = false;
            for (std::uint32_t const loop : loops_around(program_, {item_kind::block, b})) {
                is_inside = is_inside || loop == index;
                for (loop_range const& range : program_.loops[loop].over)
                    is_local = is_local && !(is_inside && is_spatial(of, range.axis));
            }
            if (is_local || !of.continues) add(mark::begin, b, is_local);
        }
    }

    void add_buffer(std::uint32_t b)
    {
        program_buffer const& buffer = program_.buffers[b];
        number_[b] = made_++;
        add(mark::buffer, buffer.element, buffer.array, buffer.is_register, buffer.layout.size());
        add(buffer.coordinates);
        add(buffer.source);
        for (layout_digit const& digit : buffer.layout)
            add(digit.coordinate, digit.step);
    }

    void add_block(std::uint32_t index)
    {
        program_block const& block = program_.blocks[index];
        add(mark::block, block.statement, number_of(block.target), block.is_streamed);
        std::vector<buffer_use> reads = block.reads;
        std::sort(reads.begin(), reads.end(),
                  [](buffer_use const& a, buffer_use const& b) { return a.access < b.access; });
        add(reads.size());
        for (buffer_use const& use : reads)
            add(use.access, number_of(use.buffer));
    }

    void add_copy(program_copy const& copy)
    {
        add(mark::copy, copy.kind, number_of(copy.buffer), copy.access, copy.block);
    }

    [[nodiscard]] std::uint32_t number_of(std::uint32_t buffer) const
    {
        return buffer == no_index ? no_index : number_[buffer];
    }

    loop_program const& program_;
    std::uint64_t hash_ = 0;
    std::vector<std::uint32_t> number_; ///< per buffer
    std::vector<bool> has_begun_; ///< per block: true inside the loop that begins its reduction
    std::uint32_t made_ = 0;
};

} // namespace detail

ATTUNE_INLINE std::uint64_t structure_of(loop_program const& program)
{
    return detail::structure_walk(program).value();
}

namespace detail {

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

ATTUNE_INLINE std::string free_name(loop_program const& program, std::string const& wish)
{
    auto const is_taken = [&program](std::string const& name) {
        for (nest_array const& array : program.nest.arrays)
            if (array.name == name) return true;
        for (nest_axis const& axis : program.nest.axes)
            if (axis.name == name) return true;
        for (nest_input const& input : program.nest.inputs)
            if (input.name == name) return true;
        for (program_buffer const& buffer : program.buffers)
            if (buffer.name == name) return true;
        return false;
    };
    std::string name = wish;
    for (int i = 1; is_taken(name); ++i)
        name = wish + '_' + std::to_string(i);
    return name;
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
        refuse(program, "a vector loop cannot hold a further item", loop, "vectorize afterwards");
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

ATTUNE_INLINE void require_loop(loop_program const& program, std::uint32_t loop)
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
    if (!detail::append_path(program, program.body, item, path))
        throw error("the program has no such loop, block or copy",
                    program.nest.name + ", number " + std::to_string(item.index),
                    "name one that no earlier step has removed");
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
