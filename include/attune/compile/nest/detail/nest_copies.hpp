// attune/compile/nest/detail/nest_copies.hpp - declares the buffers of a program; fills, empties them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
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

/// Larger buffers are on the heap.
inline constexpr std::int64_t most_stack_bytes = 32768;

/// Finds the counts at each buffer's loop from the steps alone, because sizes are needed before the
/// loop is written.
inline void size_buffers(nest_scope& scope, std::uint32_t loop,
                         std::vector<program_item> const& items,
                         std::vector<axis_count> const& counts)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b)
        if (scope.program.buffers[b].loop == loop) scope.buffers[b].counts = counts;
    for (program_item const item : items) {
        if (item.kind != item_kind::loop) continue;
        program_loop const& inner = scope.program.loops[item.index];
        std::vector<axis_count> deeper = counts;
        for (loop_range const& range : inner.over)
            deeper[range.axis] = inner_count(counts[range.axis], range.step, "?");
        size_buffers(scope, item.index, inner.body, deeper);
    }
}

[[nodiscard]] inline bool is_on_stack(nest_scope const& scope, std::uint32_t b)
{
    program_buffer const& buffer = scope.program.buffers[b];
    nest_size const size = buffer_size(scope, buffer, b);
    return size.is_known() &&
           size.constant * static_cast<std::int64_t>(element_bytes(buffer.element)) <=
               most_stack_bytes;
}

inline void declare_buffer(nest_scope& scope, std::uint32_t b)
{
    program_buffer const& buffer = scope.program.buffers[b];
    std::string const type(cpp_name(buffer.element));
    std::string size = text_of(buffer_size(scope, buffer, b));
    if (is_on_stack(scope, b)) {
        if (size == "0") size = "1"; // C++ has no arrays without elements
        scope.line("alignas(64) " + type + ' ' + buffer.name + '[' + size + "];");
        return;
    }
    scope.line("vec::memory<" + type + "> const " + buffer.name + "_memory(1L * " + size + ");");
    scope.line(type + "* __restrict const " + buffer.name + " = " + buffer.name +
               "_memory.data();");
}

/// Declares the large buffers of `loop` and of the loops inside it, down to parallel ones. Memory
/// is allocated once a thread, or once a call.
inline void declare_on_heap(nest_scope& scope, std::vector<program_item> const& items,
                            std::uint32_t loop)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b)
        if (scope.program.buffers[b].loop == loop && !keeps_form(scope.program, b) &&
            !is_on_stack(scope, b))
            declare_buffer(scope, b);
    for (program_item const item : items)
        if (item.kind == item_kind::loop &&
            scope.program.loops[item.index].kind != loop_kind::parallel)
            declare_on_heap(scope, scope.program.loops[item.index].body, item.index);
}

/// Enters the buffers of a loop at the start of its body.
/// @param declares  declares those on the stack; a function that only fills a form reads none
inline void enter_buffers(nest_scope& scope, std::uint32_t loop, bool declares = true)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b) {
        if (scope.program.buffers[b].loop != loop) continue;
        buffer_place& place = scope.buffers[b];
        place.offsets.clear();
        place.counts.clear();
        for (axis_place const& axis : scope.axes) {
            place.offsets.push_back(axis.offsets.size());
            place.counts.push_back(axis.count);
        }
        if (declares && !keeps_form(scope.program, b) && is_on_stack(scope, b))
            declare_buffer(scope, b);
    }
}

/// During its lifetime, lanes beyond the count are read and written too, if the buffer has room for
/// them, but their values are never used.
class all_lanes_of_buffer {
public:
    all_lanes_of_buffer(nest_scope& scope, std::uint32_t b)
        : scope_(scope)
        , count_(scope.lane.count)
    {
        if (!scope.has_lane() || count_.empty()) return;
        program_buffer const& buffer = scope.program.buffers[b];
        std::size_t const last = buffer.layout.size() - 1;
        bool const is_own =
            scope.lane_factor(buffer.coordinates[buffer.layout[last].coordinate]) == 1;
        nest_size const size = digit_size(scope, buffer, b, last);
        if (is_own && size.is_known() && size.constant % scope.lane.lanes == 0)
            scope.lane.count.clear();
    }
    ~all_lanes_of_buffer() { scope_.lane.count = count_; }
    all_lanes_of_buffer(all_lanes_of_buffer const&) = delete;
    all_lanes_of_buffer& operator=(all_lanes_of_buffer const&) = delete;

private:
    nest_scope& scope_;
    std::string count_;
};

/// Lanes of the vector loop around a block, if it runs along the last digit of buffer `b`; else 0.
[[nodiscard]] inline std::int64_t lanes_of_buffer(nest_scope const& scope, std::uint32_t b,
                                                  std::uint32_t block)
{
    program_buffer const& buffer = scope.program.buffers[b];
    std::vector<program_item> const& items =
        buffer.loop == no_index ? scope.program.body : scope.program.loops[buffer.loop].body;
    std::vector<std::uint32_t> path;
    if (!append_path(scope.program, items, {item_kind::block, block}, path) || path.empty())
        return 0;
    program_loop const& inner = scope.program.loops[path.back()];
    if (inner.kind != loop_kind::vectorized) return 0;
    std::uint32_t const axis = inner.over.front().axis;
    affine_index const& last = buffer.coordinates[buffer.layout.back().coordinate];
    if (last.terms.size() != 1 || last.terms.front().axis != axis) return 0;
    std::int64_t lanes = scope.buffers[b].counts[axis].most;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        for (loop_range const& range : scope.program.loops[path[i]].over)
            if (range.axis == axis) lanes = range.step < lanes ? range.step : lanes;
    return is_lane_count(lanes) ? lanes : 0;
}

class nest_copy_writer {
public:
    nest_copy_writer(nest_scope& scope, program_copy const& copy)
        : scope_(scope)
        , copy_(copy)
        , buffer_(scope.program.buffers[copy.buffer])
    {
    }

    void write()
    {
        if (copy_.kind == copy_kind::load) {
            write_load();
            return;
        }
        lanes_ = lanes_of_buffer(scope_, copy_.buffer, copy_.block);
        if (copy_.kind == copy_kind::store) {
            target_loops(0, false);
            return;
        }
        std::string const begun = condition_of_begin();
        if (statement().continues) {
            target_loops(0, true);
        } else if (begun.empty()) {
            target_loops(0, false);
        } else {
            scope_.open("if (" + begun + ") {");
            target_loops(0, false);
            scope_.close("} else {");
            ++scope_.depth;
            target_loops(0, true);
            scope_.close();
        }
    }

private:
    [[nodiscard]] program_block const& block() const { return scope_.program.blocks[copy_.block]; }
    [[nodiscard]] nest_statement const& statement() const
    {
        return scope_.program.nest.statements[block().statement];
    }

    /// A condition that no outer loop has combined yet; empty: always true.
    [[nodiscard]] std::string condition_of_begin() const
    {
        std::string out;
        nest_statement const& of = statement();
        for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i) {
            axis_place const& place = scope_.axes[of.axes[i]];
            for (index_term const& offset : place.offsets)
                out += (out.empty() ? "" : " && ") + offset.variable + " == 0";
        }
        return out;
    }

    /// Writes the loops over the coordinates from `c` on, each along one axis, then one element.
    void target_loops(std::size_t c, bool reads_array)
    {
        if (c == buffer_.coordinates.size()) {
            target_element(reads_array);
            return;
        }
        std::uint32_t const axis = buffer_.coordinates[c].terms.empty()
                                       ? no_index
                                       : buffer_.coordinates[c].terms.front().axis;
        if (axis == no_index) {
            target_loops(c + 1, reads_array);
            return;
        }
        axis_count const count = scope_.axes[axis].count;
        bool const is_lane = lanes_ > 0 && buffer_.layout.back().coordinate == c;
        std::int64_t const step = is_lane ? lanes_ : 1;
        bool const loops = count.most <= 0 || count.most > step;
        std::string const name = scope_.new_name(scope_.program.nest.axes[axis].name + "_c");
        std::string lane_count = count.is_full() ? std::string{} : count.text;
        if (loops) {
            if (buffer_.is_register) scope_.line("VEC_UNROLL");
            scope_.open("for (long " + name + " = 0; " + name + " < " + count.text + "; " + name +
                        (step == 1 ? std::string(" += 1") : " += " + std::to_string(step)) + ") {");
            std::int64_t const most = count.most < 0 ? -1 : (count.most - 1) / step * step;
            scope_.axes[axis].offsets.push_back({name, 1, step, most});
            if (is_lane && (!count.is_full() || count.most % step != 0))
                lane_count = "(" + count.text + " - " + name + " < " + std::to_string(step) +
                             " ? " + count.text + " - " + name + " : " + std::to_string(step) + ")";
            else
                lane_count.clear();
        }
        if (is_lane) scope_.lane = {axis, lanes_, lane_count};
        target_loops(c + 1, reads_array);
        if (is_lane) scope_.lane = {};
        if (loops) {
            scope_.axes[axis].offsets.pop_back();
            scope_.close();
        }
    }

    void target_element(bool reads_array)
    {
        element_type const element = scope_.program.nest.arrays[buffer_.array].element;
        element_place const there = place_in_array(scope_, statement().target);
        element_place const here = place_in_buffer(scope_, copy_.buffer);
        if (copy_.kind == copy_kind::store) {
            value_text value;
            {
                all_lanes_of_buffer const all(scope_, copy_.buffer);
                value = loaded(scope_, here, buffer_.element);
            }
            store_line(scope_, there, element, std::move(value));
            return;
        }
        value_text const value =
            reads_array
                ? converted(scope_, loaded(scope_, there, element), buffer_.element)
                : word(neutral_text(statement().combine, buffer_.element), buffer_.element, false);
        all_lanes_of_buffer const all(scope_, copy_.buffer);
        store_line(scope_, here, buffer_.element, value);
    }

    /// The step of the next digit further out of the same coordinate; 0 if there is none.
    [[nodiscard]] std::int64_t outer_step(std::size_t digit) const
    {
        for (std::size_t k = digit; k-- > 0;)
            if (buffer_.layout[k].coordinate == buffer_.layout[digit].coordinate)
                return buffer_.layout[k].step;
        return 0;
    }

    /// Returns true if a loop over a digit further inside stays a loop.
    [[nodiscard]] bool is_around_loop(std::size_t digit) const
    {
        std::int64_t copies = 1;
        for (std::size_t i = digit + 1; i < buffer_.layout.size(); ++i) {
            layout_digit const& inner = buffer_.layout[i];
            std::int64_t most = outer_step(i);
            if (most == 0) {
                axis_count const count = count_of(scope_, buffer_, copy_.buffer, inner.coordinate);
                if (!count.is_full() && (count.most < 0 || count.most > inner.step)) return true;
                most = count.most;
            }
            copies *= (most + inner.step - 1) / inner.step;
        }
        return copies > most_copies_of_body;
    }

    /// Copies array to buffer: a loop per digit of the layout, then one element.
    void write_load()
    {
        std::vector<index_sum> inside(buffer_.coordinates.size()); // relative to the first
        std::string guard;
        std::string position;
        int opened = 0;
        for (std::size_t i = 0; i < buffer_.layout.size(); ++i) {
            layout_digit const& digit = buffer_.layout[i];
            std::int64_t const outer = outer_step(i);
            axis_count const count = count_of(scope_, buffer_, copy_.buffer, digit.coordinate);
            std::int64_t const most = outer > 0 ? outer : count.most;
            if (most > 0 && most <= digit.step) continue;
            std::string const end = outer > 0 ? std::to_string(outer) : count.text;
            std::string const name = scope_.new_name("c" + std::to_string(i));
            if (is_around_loop(i)) scope_.line("VEC_NO_UNROLL");
            scope_.open("for (long " + name + " = 0; " + name + " < " + end + "; " + name +
                        " += " + std::to_string(digit.step) + ") {");
            ++opened;
            inside[digit.coordinate].terms.push_back({name, 1, digit.step, -1});
            index_sum const value = {
                {{digit.step == 1 ? name : name + " / " + std::to_string(digit.step), 1, 1, -1}},
                0};
            append_sum(position,
                       product_text(value, digit_stride(scope_, buffer_, copy_.buffer, i)));
            bool const is_last = digit.step == 1;
            bool const may_pass = outer > 0 && !(count.is_full() && count.most % outer == 0);
            if (is_last && may_pass)
                guard += (guard.empty() ? "" : " && ") + text_of(inside[digit.coordinate]) + " < " +
                         count.text;
        }
        element_place const from = source_place(inside, guard);
        std::string const to = buffer_.name + '[' + (position.empty() ? "0" : position) + ']';
        std::string value = from.element();
        if (!from.guard.empty())
            value = from.guard + " ? " + value + " : static_cast<" +
                    std::string(cpp_name(buffer_.element)) + ">(0)";
        scope_.line(to + " = " + value + ';');
        for (; opened > 0; --opened)
            scope_.close();
    }

    [[nodiscard]] element_place source_place(std::vector<index_sum> const& inside,
                                             std::string const& guard) const
    {
        nest_array const& array = scope_.program.nest.arrays[buffer_.array];
        bool const is_padded = scope_.program.nest.accesses[copy_.access].is_padded;
        element_place out{array.name, {}, "0", guard, false};
        for (std::size_t d = 0; d < buffer_.source.size(); ++d) {
            index_sum index;
            for (affine_term const& term : buffer_.source[d].terms) {
                index.add(scope_.value_of(buffer_.coordinates[term.axis]), term.factor);
                index.add(inside[term.axis], term.factor);
            }
            index.constant += buffer_.source[d].offset;
            if (!index.is_zero())
                append_sum(out.position, product_text(index, stride_of(scope_, array, d)));
            if (is_padded) add_guard(out.guard, index, scope_.text_of_extent(array.extents[d]), 0);
        }
        if (out.position.empty()) out.position = "0";
        return out;
    }

    nest_scope& scope_;
    program_copy const& copy_;
    program_buffer const& buffer_;
    std::int64_t lanes_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
