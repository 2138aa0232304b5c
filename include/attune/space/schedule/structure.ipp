// attune/space/schedule/structure.ipp - the definitions of structure.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/structure.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Hashes a program from the outside in. Buffers have the numbers of the order in which they are
/// made, items those of their places.
class structure_walk {
public:
    explicit structure_walk(loop_program const& program)
        : program_(program)
        , number_(program.buffers.size(), no_index)
        , has_begun_(program.blocks.size(), false)
    {
        add_nest();
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

    /// The items inside of a loop (no_index: of the program), behind its buffers.
    /// @param left  per axis: the most steps that outer loops leave; -1: not known
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
            // The loop is not written. What it was for decides where large buffers are made and
            // which loops the compiler unrolls; with loops beside it, where tiles are cut.
            bool const is_known =
                is_beside || loop.kind == loop_kind::parallel || loop.kind == loop_kind::unrolled;
            if (is_known) add(mark::once, loop.kind);
            enter(index, loop.body, left);
            if (is_known) add(mark::end);
            return;
        }
        bool const is_serial = loop.kind == loop_kind::serial;
        add(mark::loop, loop.kind, is_serial && loop.unroll > 1 ? loop.unroll : 0);
        add(loop.over.size());
        for (loop_range const& range : loop.over)
            add(range.axis, range.step);
        enter(index, loop.body, left);
        add(mark::end);
    }

    /// The reductions without a buffer that begin at a loop, also at one of one step: in a local
    /// variable where no spatial loop is inside, else in their array.
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
    std::vector<bool> has_begun_;       ///< per block: the loops around it have begun its reduction
    std::uint32_t made_ = 0;
};

} // namespace detail

ATTUNE_INLINE std::uint64_t structure_of(loop_program const& program)
{
    return detail::structure_walk(program).value();
}

} // namespace attune::inline ATTUNE_ABI
