// attune/tune/program/program_facts.ipp - counts the operations of statements and the bytes of loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/schedule/loop_tree.hpp>
#include <attune/tune/program/program_facts.hpp>
#include <attune/tune/roofline.hpp> // programs state their work

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

struct index_span {
    std::int64_t low = 0;
    std::int64_t high = -1; ///< below `low`: none
};

class loop_places {
public:
    explicit loop_places(loop_program const& program)
        : program_(program)
    {
    }

    std::vector<placed_loop> take()
    {
        std::uint32_t depth = 0;
        for (program_slice const& slice : program_.slices)
            out_.push_back(
                {.name = program_.nest.axes[slice.axis].name + "_slice",
                 .depth = depth++,
                 .times = slice.extent.input == no_index ? slice.extent.constant / slice.step : 0,
                 .how = slice.is_parallel ? "parallel" : "serial"});
        walk(program_.body, no_index, depth);
        return std::move(out_);
    }

private:
    using box = std::vector<index_span>;

    void walk(std::vector<program_item> const& items, std::uint32_t parent, std::uint32_t depth)
    {
        for (program_item const item : items) {
            if (item.kind != item_kind::loop) continue;
            program_loop const& loop = program_.loops[item.index];
            placed_loop one{.name = loop_name(program_, item.index),
                            .depth = depth,
                            .times = iterations_of(program_, item.index).value_or(0),
                            .how = how_of(loop)};
            add_bytes(item, parent, one);
            out_.push_back(std::move(one));
            walk(loop.body, item.index, depth + 1);
        }
    }

    [[nodiscard]] static std::string how_of(program_loop const& loop)
    {
        switch (loop.kind) {
        case loop_kind::parallel:
            return "parallel";
        case loop_kind::vectorized:
            return "vector";
        case loop_kind::unrolled:
            return "unrolled";
        case loop_kind::serial:
            break;
        }
        return loop.unroll > 1 ? "unrolled by " + std::to_string(loop.unroll) : "serial";
    }

    /// Steps of an axis in one iteration of `loop` (no_index: in the program), at most those that
    /// are left in one iteration of `within`.
    [[nodiscard]] std::optional<std::int64_t> steps(std::uint32_t loop, std::uint32_t within,
                                                    std::uint32_t axis) const
    {
        auto out = steps_inside(program_, loop, axis);
        auto const most = within == no_index ? out : steps_inside(program_, within, axis);
        if (most) out = out ? std::min(*out, *most) : *most;
        return out;
    }

    /// The values of an index; empty if they are unknown.
    template <class StepsOf>
    [[nodiscard]] static std::optional<index_span> span_of(affine_index const& at,
                                                           StepsOf const& steps_of)
    {
        index_span out{at.offset, at.offset};
        for (affine_term const& term : at.terms) {
            std::optional<std::int64_t> const count = steps_of(term.axis);
            if (!count) return {};
            if (*count <= 0) return index_span{0, -1};
            std::int64_t const reach = term.factor * (*count - 1);
            (reach < 0 ? out.low : out.high) += reach;
        }
        return out;
    }

    struct touched {
        std::map<std::uint32_t, box> arrays{};
        std::map<std::uint32_t, std::int64_t> buffers{}; ///< bytes
        bool is_known = true;
    };

    void touch(nest_access const& access, std::uint32_t parent, touched& to) const
    {
        box now;
        for (affine_index const& at : access.at) {
            auto const one =
                span_of(at, [&](std::uint32_t axis) { return steps(parent, no_index, axis); });
            to.is_known = to.is_known && one;
            now.push_back(one.value_or(index_span{}));
        }
        auto const [place, is_new] = to.arrays.try_emplace(access.array, now);
        if (is_new) return;
        for (std::size_t d = 0; d < now.size(); ++d) {
            place->second[d].low = std::min(place->second[d].low, now[d].low);
            place->second[d].high = std::max(place->second[d].high, now[d].high);
        }
    }

    /// Counts a copy, which is made again in each iteration of its loop, at the same place.
    void touch_buffer(std::uint32_t b, std::uint32_t parent, touched& to) const
    {
        program_buffer const& buffer = program_.buffers[b];
        auto bytes = static_cast<std::int64_t>(element_bytes(buffer.element));
        for (affine_index const& at : buffer.coordinates) {
            auto const one =
                span_of(at, [&](std::uint32_t axis) { return steps(parent, buffer.loop, axis); });
            to.is_known = to.is_known && one;
            bytes *= one ? one->high - one->low + 1 : 0;
        }
        std::int64_t& most = to.buffers[b];
        most = std::max(most, bytes);
    }

    void touch_item(program_item item, std::uint32_t parent, touched& to) const
    {
        if (item.kind == item_kind::loop) {
            for (program_item const inner : program_.loops[item.index].body)
                touch_item(inner, parent, to);
        } else if (item.kind == item_kind::copy) {
            program_copy const& copy = program_.copies[item.index];
            touch_buffer(copy.buffer, parent, to);
            if (copy.kind == copy_kind::load)
                touch(program_.nest.accesses[copy.access], parent, to);
            else if (copy.kind == copy_kind::store)
                touch(statement_of(copy.block).target, parent, to);
        } else {
            program_block const& block = program_.blocks[item.index];
            if (block.target == no_index)
                touch(statement_of(item.index).target, parent, to);
            else
                touch_buffer(block.target, parent, to);
            for (std::uint32_t const access :
                 accesses_of(program_.nest, statement_of(item.index))) {
                auto const use =
                    std::find_if(block.reads.begin(), block.reads.end(),
                                 [&](buffer_use const& one) { return one.access == access; });
                if (use == block.reads.end())
                    touch(program_.nest.accesses[access], parent, to);
                else
                    touch_buffer(use->buffer, parent, to);
            }
        }
    }

    [[nodiscard]] nest_statement const& statement_of(std::uint32_t block) const
    {
        return program_.nest.statements[program_.blocks[block].statement];
    }

    /// Bytes of the elements in the box that exist in the array.
    [[nodiscard]] std::int64_t bytes_of(std::uint32_t array, box const& in) const
    {
        nest_array const& of = program_.nest.arrays[array];
        auto out = static_cast<std::int64_t>(element_bytes(of.element));
        for (std::size_t d = 0; d < in.size(); ++d) {
            index_span one = in[d];
            if (of.extents[d].input == no_index)
                one = {std::max<std::int64_t>(one.low, 0),
                       std::min(one.high, of.extents[d].constant - 1)};
            out *= std::max<std::int64_t>(one.high - one.low + 1, 0);
        }
        return out;
    }

    void add_bytes(program_item item, std::uint32_t parent, placed_loop& to) const
    {
        touched found;
        touch_item(item, parent, found);
        if (!found.is_known || to.times == 0) return;
        for (auto const& [array, in] : found.arrays)
            to.bytes.emplace_back(program_.nest.arrays[array].name, bytes_of(array, in));
        for (auto const& [buffer, bytes] : found.buffers)
            to.bytes.emplace_back(program_.buffers[buffer].name, bytes);
    }

    loop_program const& program_;
    std::vector<placed_loop> out_{};
};

ATTUNE_INLINE std::vector<placed_loop> placed_loops(loop_program program,
                                                    std::vector<input_description> const& inputs)
{
    auto const settle = [&](nest_extent& extent) {
        if (extent.input == no_index) return;
        std::string const& name = program.nest.inputs[extent.input].name;
        for (input_description const& input : inputs)
            if (input.name == name && input.value && !input.value->is_real)
                extent = {input.value->integer, no_index};
    };
    for (program_slice& slice : program.slices)
        settle(slice.extent);
    for (nest_axis& axis : program.nest.axes)
        settle(axis.extent);
    for (nest_array& array : program.nest.arrays)
        for (nest_extent& extent : array.extents)
            settle(extent);
    return loop_places(program).take();
}

ATTUNE_INLINE std::vector<std::pair<std::string, std::int64_t>>
levels_of(processor_shape const& processor)
{
    return {{"registers", processor.vector_bytes * processor.vector_registers},
            {"L1", processor.l1_bytes},
            {"L2", processor.l2_bytes},
            {"L3", processor.l3_bytes}};
}

struct value_parts {
    bool has_double = false;
    bool has_single = false;
    bool has_real = false;
    std::vector<std::uint32_t> reads; ///< arrays
};

[[nodiscard]] inline value_parts parts_of(nest_description const& nest, std::uint32_t value)
{
    value_parts out;
    for_each_node(nest, value, [&](std::uint32_t, nest_node const& node) {
        out.has_double = out.has_double || node.type == element_type::f64;
        out.has_single = out.has_single || node.type == element_type::f32;
        out.has_real = out.has_real || is_real_type(node.type);
        if (node.code == nest_op::access) out.reads.push_back(nest.accesses[node.access].array);
    });
    return out;
}

[[nodiscard]] inline double size_of(nest_extent const& extent, std::span<std::int64_t const> inputs)
{
    return static_cast<double>(extent.input == no_index ? extent.constant : inputs[extent.input]);
}

[[nodiscard]] inline double times_of(nest_description const& nest, nest_statement const& statement,
                                     std::span<std::int64_t const> inputs)
{
    double out = 1;
    for (std::uint32_t const axis : statement.axes)
        out *= size_of(nest.axes[axis].extent, inputs);
    return out;
}

ATTUNE_INLINE double program_operations(nest_description const& nest,
                                        std::span<std::int64_t const> inputs)
{
    double out = 0;
    for (nest_statement const& statement : nest.statements)
        out += times_of(nest, statement, inputs) * operations_of(nest, statement).total();
    return out;
}

ATTUNE_INLINE work program_work(nest_description const& nest, std::span<std::int64_t const> inputs)
{
    work out;
    for (nest_statement const& statement : nest.statements) {
        out.flops +=
            times_of(nest, statement, inputs) * operations_of(nest, statement).real_total();
        out.double_precision = out.double_precision || parts_of(nest, statement.value).has_double;
    }
    for (nest_array const& array : nest.arrays) {
        if (array.role == nest_role::temporary) continue;
        double bytes = static_cast<double>(element_bytes(array.element));
        for (nest_extent const& extent : array.extents)
            bytes *= size_of(extent, inputs);
        out.bytes += array.role == nest_role::updated ? 2 * bytes : bytes;
    }
    return out;
}

/// Number of values that are summed on the way to an element, and if float takes part.
struct summed_values {
    double count = 0;
    bool in_single = false;
};

/// Returns the sums of each array; statements run in order.
[[nodiscard]] inline std::vector<summed_values> values_summed(nest_description const& nest)
{
    constexpr double extent_of_input = 65536;
    std::vector<summed_values> out(nest.arrays.size());
    for (nest_statement const& statement : nest.statements) {
        summed_values made;
        if (statement.combine == reduction::sum || statement.combine == reduction::product) {
            made.count = 1;
            for (std::size_t i = statement.spatial_count; i < statement.axes.size(); ++i) {
                nest_extent const& extent = nest.axes[statement.axes[i]].extent;
                made.count *= extent.input == no_index ? static_cast<double>(extent.constant)
                                                       : extent_of_input;
            }
        }
        value_parts const parts = parts_of(nest, statement.value);
        made.in_single = parts.has_single || statement.accumulator == element_type::f32;
        double before = 0;
        for (std::uint32_t const read : parts.reads) {
            before = std::max(before, out[read].count);
            made.in_single = made.in_single || out[read].in_single;
        }
        made.count += before;
        out[statement.target.array] = made;
    }
    return out;
}

ATTUNE_INLINE tolerance program_tolerance(nest_description const& nest, std::uint32_t array)
{
    tolerance out = default_tolerance(nest.arrays[array].element);
    if (out.relative > 0) {
        summed_values const sums = values_summed(nest)[array];
        double const roundoff = sums.in_single ? 0x1p-24 : 0x1p-53;
        if (sums.in_single)
            out.relative = std::max(out.relative, default_tolerance(element_type::f32).relative);
        out.relative = std::max(out.relative, 8 * std::sqrt(sums.count) * roundoff);
        return out;
    }
    for (nest_statement const& statement : nest.statements)
        if (statement.target.array == array &&
            statement.combine != reduction::argument_of_maximum &&
            parts_of(nest, statement.value).has_real)
            out.absolute = 1;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
