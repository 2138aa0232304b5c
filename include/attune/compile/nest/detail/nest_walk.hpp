// attune/compile/nest/detail/nest_walk.hpp - writes the loops of a program, from the outside in.
// SPDX-License-Identifier: MIT
//
// Where a tile of unrolled and vector loops may be cut off by the end of an axis, its text becomes
// a function of the counts: one instance for whole tiles, whose counts the compiler knows, one a
// tail.
#pragma once

#include <attune/compile/nest/detail/nest_copies.hpp>
#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Larger buffers are taken from the heap.
inline constexpr std::int64_t most_stack_bytes = 32768;

class program_walk {
public:
    explicit program_walk(nest_scope& scope)
        : scope_(scope)
        , has_begun_(scope.program.blocks.size(), false)
    {
        std::vector<axis_count> counts;
        for (axis_place const& place : scope.axes)
            counts.push_back(place.count);
        size_buffers(no_index, scope.program.body, counts);
    }

    void write()
    {
        declare_on_heap(scope_.program.body, no_index);
        body(no_index, scope_.program.body);
    }

private:
    [[nodiscard]] nest_statement const& statement_of(std::uint32_t block) const
    {
        return scope_.program.nest.statements[scope_.program.blocks[block].statement];
    }
    /// Whether a block combines into a buffer that a copy begins and another one empties.
    [[nodiscard]] bool has_tile(std::uint32_t block) const
    {
        for (program_copy const& copy : scope_.program.copies)
            if (copy.kind == copy_kind::begin && copy.block == block) return true;
        return false;
    }
    /// The element that a block computes, in its array or in a buffer.
    [[nodiscard]] element_place target_of(std::uint32_t block) const
    {
        std::uint32_t const buffer = scope_.program.blocks[block].target;
        return buffer == no_index ? place_in_array(scope_, statement_of(block).target)
                                  : place_in_buffer(scope_, buffer);
    }
    [[nodiscard]] element_type element_of(std::uint32_t block) const
    {
        std::uint32_t const buffer = scope_.program.blocks[block].target;
        return buffer == no_index
                   ? scope_.program.nest.arrays[statement_of(block).target.array].element
                   : scope_.program.buffers[buffer].element;
    }
    [[nodiscard]] std::string axis_name(std::uint32_t axis) const
    {
        return scope_.program.nest.axes[axis].name;
    }

    // ---- buffers

    /// The counts at each buffer's loop as far as the steps alone tell them: sizes are known before
    /// the loop is written.
    void size_buffers(std::uint32_t loop,
                      std::vector<program_item> const& items,
                      std::vector<axis_count> const& counts)
    {
        for (std::uint32_t b = 0; b < scope_.program.buffers.size(); ++b)
            if (scope_.program.buffers[b].loop == loop) scope_.buffers[b].counts = counts;
        for (program_item const item : items) {
            if (item.kind != item_kind::loop) continue;
            program_loop const& inner = scope_.program.loops[item.index];
            std::vector<axis_count> deeper = counts;
            for (loop_range const& range : inner.over)
                deeper[range.axis] = inner_count(counts[range.axis], range.step, "?");
            size_buffers(item.index, inner.body, deeper);
        }
    }
    [[nodiscard]] bool is_on_stack(std::uint32_t b) const
    {
        program_buffer const& buffer = scope_.program.buffers[b];
        nest_size const size = buffer_size(scope_, buffer, b);
        return size.is_known() &&
               size.constant * static_cast<std::int64_t>(element_bytes(buffer.element)) <=
                   most_stack_bytes;
    }
    void declare(std::uint32_t b)
    {
        program_buffer const& buffer = scope_.program.buffers[b];
        std::string const type(cpp_name(buffer.element));
        std::string const size = text_of(buffer_size(scope_, buffer, b));
        if (is_on_stack(b)) {
            scope_.line("alignas(64) " + type + ' ' + buffer.name + '[' + size + "];");
            return;
        }
        scope_.line("vec::memory<" + type + "> const " + buffer.name + "_memory(1L * " + size +
                    ");");
        scope_.line(type + "* __restrict const " + buffer.name + " = " + buffer.name +
                    "_memory.data();");
    }
    /// The large buffers of `loop` and of the loops inside it, down to parallel ones: memory is
    /// taken once a thread, or once a call.
    void declare_on_heap(std::vector<program_item> const& items, std::uint32_t loop)
    {
        for (std::uint32_t b = 0; b < scope_.program.buffers.size(); ++b)
            if (scope_.program.buffers[b].loop == loop && !is_on_stack(b)) declare(b);
        for (program_item const item : items)
            if (item.kind == item_kind::loop &&
                scope_.program.loops[item.index].kind != loop_kind::parallel)
                declare_on_heap(scope_.program.loops[item.index].body, item.index);
    }
    void enter_buffers(std::uint32_t loop)
    {
        for (std::uint32_t b = 0; b < scope_.program.buffers.size(); ++b) {
            if (scope_.program.buffers[b].loop != loop) continue;
            buffer_place& place = scope_.buffers[b];
            place.offsets.clear();
            place.counts.clear();
            for (axis_place const& axis : scope_.axes) {
                place.offsets.push_back(axis.offsets.size());
                place.counts.push_back(axis.count);
            }
            if (is_on_stack(b)) declare(b);
        }
    }

    // ---- bodies

    void body(std::uint32_t loop, std::vector<program_item> const& items)
    {
        std::vector<std::uint32_t> const cut = cut_axes(items);
        if (cut.empty()) {
            enter_buffers(loop);
            for (program_item const item : items)
                write_item(item);
            return;
        }
        std::vector<axis_count> const before = [&] {
            std::vector<axis_count> out;
            for (std::uint32_t const axis : cut)
                out.push_back(scope_.axes[axis].count);
            return out;
        }();
        std::string parameters;
        std::vector<std::string> names;
        for (std::uint32_t const axis : cut) {
            names.push_back(scope_.new_name(axis_name(axis) + "_count"));
            parameters += (parameters.empty() ? "auto " : ", auto ") + names.back();
        }
        std::string const tile = scope_.new_name("tile");
        scope_.open("auto const " + tile + " = [&](" + parameters +
                    ") __attribute__((always_inline)) {");
        for (std::size_t i = 0; i < cut.size(); ++i)
            scope_.axes[cut[i]].count = {names[i], before[i].most, before[i].tail, true};
        enter_buffers(loop);
        for (program_item const item : items)
            write_item(item);
        for (std::size_t i = 0; i < cut.size(); ++i)
            scope_.axes[cut[i]].count = before[i];
        scope_.close("};");
        call_tile(tile, before, 0, {});
    }

    /// One call for each combination of whole and cut counts.
    void call_tile(std::string const& tile,
                   std::vector<axis_count> const& counts,
                   std::size_t i,
                   std::string const& arguments)
    {
        if (i == counts.size()) {
            scope_.line(tile + '(' + arguments + ");");
            return;
        }
        std::string const comma = arguments.empty() ? "" : ", ";
        axis_count const& count = counts[i];
        std::string const most = std::to_string(count.most);
        scope_.open("if (" + count.text + " == " + most + ") {");
        call_tile(tile, counts, i + 1, arguments + comma + "vec::known<" + most + ">{}");
        scope_.close("} else {");
        ++scope_.depth;
        std::string const tail =
            count.tail > 0 ? "vec::known<" + std::to_string(count.tail) + ">{}" : count.text;
        call_tile(tile, counts, i + 1, arguments + comma + tail);
        scope_.close();
    }

    /// The axes of unrolled and vector loops inside `items` whose counts are decided here and may
    /// be less than whole; none while such a count is decided further inside.
    [[nodiscard]] std::vector<std::uint32_t> cut_axes(std::vector<program_item> const& items) const
    {
        std::vector<axis_count> counts;
        for (axis_place const& place : scope_.axes)
            counts.push_back(place.count);
        std::vector<std::uint32_t> cut;
        bool waits = false;
        std::vector<bool> const inside(counts.size(), false);
        find_cuts(items, counts, inside, cut, waits);
        if (waits) cut.clear();
        return cut;
    }
    void find_cuts(std::vector<program_item> const& items,
                   std::vector<axis_count> const& counts,
                   std::vector<bool> const& inside,
                   std::vector<std::uint32_t>& cut,
                   bool& waits) const
    {
        for (program_item const item : items) {
            if (item.kind != item_kind::loop) continue;
            program_loop const& loop = scope_.program.loops[item.index];
            bool const is_small =
                loop.kind == loop_kind::unrolled || loop.kind == loop_kind::vectorized;
            std::vector<axis_count> deeper = counts;
            std::vector<bool> within = inside;
            for (loop_range const& range : loop.over) {
                axis_count const& count = counts[range.axis];
                if (is_small && !count.is_full() && count.most > 0) {
                    bool is_new = !count.is_decided;
                    for (std::uint32_t const axis : cut)
                        is_new = is_new && axis != range.axis;
                    if (inside[range.axis])
                        waits = true;
                    else if (is_new)
                        cut.push_back(range.axis);
                }
                deeper[range.axis] = inner_count(count, range.step, "?");
                if (!is_small && deeper[range.axis].text != count.text) within[range.axis] = true;
                // Loops inside an unrolled one have counts that the compiler sees.
                if (is_small && !deeper[range.axis].is_full()) deeper[range.axis].tail = 0;
            }
            find_cuts(loop.body, deeper, within, cut, waits);
        }
    }
    void write_item(program_item item)
    {
        switch (item.kind) {
        case item_kind::loop:
            write_loop(item.index, no_index);
            break;
        case item_kind::block:
            write_block(item.index);
            break;
        case item_kind::copy:
            nest_copy_writer(scope_, scope_.program.copies[item.index]).write();
            break;
        }
    }

    // ---- loops

    /// @param only  write the neutral value of this block's target, without its reduction loops
    void write_loop(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        std::vector<std::uint32_t> local;
        if (only == no_index) local = begin_reductions(index);
        if (only != no_index && is_reduction_axis(statement_of(only), loop.over.front().axis)) {
            inside_of(index, only);
        } else if (loop.kind == loop_kind::vectorized) {
            write_lanes(index, only);
        } else if (loop.over.size() == 1) {
            write_plain_loop(index, only);
        } else {
            write_fused_loop(index, only);
        }
        for (std::uint32_t const block : local)
            end_reduction(block);
    }

    void inside_of(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        if (only == no_index) {
            if (loop.kind == loop_kind::parallel) declare_on_heap(loop.body, index);
            body(index, loop.body);
            return;
        }
        for (program_item const item : loop.body) {
            if (item.kind == item_kind::block && item.index == only) write_neutral(only);
            if (item.kind == item_kind::loop &&
                holds_block(scope_.program, scope_.program.loops[item.index].body, only))
                write_loop(item.index, only);
        }
    }

    void write_plain_loop(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        loop_range const range = loop.over.front();
        axis_place& place = scope_.axes[range.axis];
        axis_count const count = place.count;
        if (count.most > 0 && count.most <= range.step) { // once
            inside_of(index, only);
            return;
        }
        std::string const name = variable_of(range.axis);
        if (loop.kind == loop_kind::parallel)
            scope_.line("#pragma omp parallel for schedule(static)");
        else if (loop.kind == loop_kind::unrolled)
            scope_.line("VEC_UNROLL");
        else if (loop.unroll > 1)
            scope_.line("VEC_UNROLL_BY(" + std::to_string(loop.unroll) + ')');
        scope_.open("for (long " + name + " = 0; " + name + " < " + count.text + "; " + name +
                    " += " + std::to_string(range.step) + ") {");
        enter_axis(range, name, count);
        inside_of(index, only);
        place.offsets.pop_back();
        place.count = count;
        scope_.close();
    }

    void enter_axis(loop_range range, std::string const& name, axis_count const& count)
    {
        axis_place& place = scope_.axes[range.axis];
        std::string const left = scope_.new_name(name + "_count");
        place.count = inner_count(count, range.step, left);
        std::int64_t const most = count.most < 0 ? -1 : (count.most - 1) / range.step * range.step;
        place.offsets.push_back({name, 1, range.step, most});
        if (place.count.text != left) return;
        std::string const rest = count.text + " - " + name;
        std::string const step = std::to_string(range.step);
        scope_.line("long const " + left + " = " + rest + " < " + step + " ? " + rest + " : " +
                    step + ';');
    }

    void write_fused_loop(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        std::vector<axis_count> counts;
        std::vector<std::string> trips;
        std::string product = "1L";
        for (loop_range const& range : loop.over) {
            axis_count const count = scope_.axes[range.axis].count;
            counts.push_back(count);
            std::string text;
            if (count.is_full())
                text = std::to_string((count.most + range.step - 1) / range.step);
            else if (range.step == 1)
                text = count.text;
            else
                text = "((" + count.text + " + " + std::to_string(range.step - 1) + ") / " +
                       std::to_string(range.step) + ')';
            product += " * " + text;
            trips.push_back(std::move(text));
        }
        std::string const name = scope_.new_name("f" + std::to_string(index));
        if (loop.kind == loop_kind::parallel)
            scope_.line("#pragma omp parallel for schedule(static)");
        else if (loop.kind == loop_kind::unrolled)
            scope_.line("VEC_UNROLL");
        else if (loop.unroll > 1)
            scope_.line("VEC_UNROLL_BY(" + std::to_string(loop.unroll) + ')');
        scope_.open("for (long " + name + " = 0; " + name + " < " + product + "; ++" + name +
                    ") {");
        std::string rest = name;
        std::vector<std::string> lines;
        std::vector<std::string> variables(loop.over.size());
        for (std::size_t i = loop.over.size(); i-- > 0;) {
            variables[i] = variable_of(loop.over[i].axis);
            std::string const digit = i == 0 ? rest : rest + " % " + trips[i];
            std::string const step = std::to_string(loop.over[i].step);
            scope_.line("long const " + variables[i] + " = " + digit +
                        (loop.over[i].step == 1 ? ";" : " * " + step + ';'));
            rest += " / " + trips[i];
        }
        for (std::size_t i = 0; i < loop.over.size(); ++i)
            enter_axis(loop.over[i], variables[i], counts[i]);
        inside_of(index, only);
        for (std::size_t i = 0; i < loop.over.size(); ++i) {
            scope_.axes[loop.over[i].axis].offsets.pop_back();
            scope_.axes[loop.over[i].axis].count = counts[i];
        }
        scope_.close();
    }

    void write_lanes(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        loop_range const range = loop.over.front();
        axis_count const count = scope_.axes[range.axis].count;
        if (!is_lane_count(count.most)) {
            if (count.most != 1)
                scope_.line("// no vector has so many lanes: the compiler vectorises");
            write_plain_loop(index, only);
            return;
        }
        scope_.lane = {range.axis, count.most, count.is_full() ? std::string{} : count.text};
        inside_of(index, only);
        scope_.lane = {};
    }

    /// i_0, i_1, ... from the outermost loop over an axis on.
    [[nodiscard]] std::string variable_of(std::uint32_t axis) const
    {
        return scope_.new_name(axis_name(axis) + '_' +
                               std::to_string(scope_.axes[axis].offsets.size()));
    }

    // ---- reductions without a buffer

    /// The reductions whose outermost reduction loop this is: their targets get the neutral value,
    /// in a local variable where the loop has all of the block's spatial loops around it.
    /// @return  the blocks that have a local variable
    [[nodiscard]] std::vector<std::uint32_t> begin_reductions(std::uint32_t index)
    {
        program_loop const& loop = scope_.program.loops[index];
        std::vector<std::uint32_t> local;
        each_block(scope_.program, loop.body, [&](std::uint32_t block) {
            nest_statement const& of = statement_of(block);
            if (of.combine == reduction::none || has_begun_[block] || has_tile(block)) return;
            bool is_own = false;
            for (loop_range const& range : loop.over)
                is_own = is_own || is_reduction_axis(of, range.axis);
            if (!is_own) return;
            has_begun_[block] = true;
            if (is_local(index, block)) {
                begin_local(index, block);
                local.push_back(block);
            } else if (!of.continues) {
                write_loop(index, block);
            }
        });
        return local;
    }
    [[nodiscard]] bool is_local(std::uint32_t index, std::uint32_t block) const
    {
        for (std::uint32_t const inner : path_inside(index, block))
            for (loop_range const& range : scope_.program.loops[inner].over)
                if (is_spatial_axis(statement_of(block), range.axis)) return false;
        return true;
    }
    [[nodiscard]] std::vector<std::uint32_t> path_inside(std::uint32_t index,
                                                         std::uint32_t block) const
    {
        std::vector<std::uint32_t> path{index};
        (void)append_path(
            scope_.program, scope_.program.loops[index].body, {item_kind::block, block}, path);
        return path;
    }
    /// Lanes of a vector loop over a reduction axis; 0: none.
    [[nodiscard]] std::int64_t reduction_lanes(std::uint32_t index, std::uint32_t block) const
    {
        std::vector<std::uint32_t> const path = path_inside(index, block);
        program_loop const& last = scope_.program.loops[path.back()];
        if (last.kind != loop_kind::vectorized) return 0;
        std::uint32_t const axis = last.over.front().axis;
        std::int64_t lanes = scope_.axes[axis].count.most;
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
            for (loop_range const& range : scope_.program.loops[path[i]].over)
                if (range.axis == axis && (lanes < 0 || range.step < lanes)) lanes = range.step;
        return is_lane_count(lanes) ? lanes : 0;
    }
    void begin_local(std::uint32_t index, std::uint32_t block)
    {
        nest_statement const& of = statement_of(block);
        nest_array const& array = scope_.program.nest.arrays[of.target.array];
        std::string const type(cpp_name(of.accumulator));
        local_target& local = scope_.locals[block];
        local.name = scope_.new_name(array.name + "_value");
        if (of.combine == reduction::argument_of_maximum) {
            std::string const values(cpp_name(scope_.program.nest.nodes[of.value].type));
            scope_.line(values + ' ' + local.name + "{};");
            scope_.line("long " + local.name + "_at = -1;");
            return;
        }
        std::int64_t const lanes = reduction_lanes(index, block);
        local.is_vector = lanes > 0;
        std::string const neutral = neutral_text(of.combine, of.accumulator);
        if (lanes > 0) {
            std::string const name = lanes_name(of.accumulator, lanes);
            scope_.line(name + ' ' + local.name + " = vec::splat<" + name + ">(" + neutral + ");");
            return;
        }
        std::string first = neutral;
        if (of.continues)
            first = converted(
                        scope_, loaded(scope_, target_of(block), element_of(block)), of.accumulator)
                        .text;
        scope_.line(type + ' ' + local.name + " = " + first + ';');
    }
    void end_reduction(std::uint32_t block)
    {
        nest_statement const& of = statement_of(block);
        element_type const element = element_of(block);
        local_target const local = std::exchange(scope_.locals[block], {});
        element_place const place = target_of(block);
        has_begun_[block] = false;
        if (of.combine == reduction::argument_of_maximum) {
            std::string const at = local.name + "_at";
            store_line(scope_,
                       place,
                       element,
                       word("static_cast<" + std::string(cpp_name(element)) + ">(" + at +
                                " < 0 ? 0 : " + at + ')',
                            element,
                            false));
            return;
        }
        value_text value = word(local.name, of.accumulator, false);
        if (local.is_vector) {
            std::string function = "sum";
            if (of.combine == reduction::product) function = "product";
            if (of.combine == reduction::maximum) function = "max";
            if (of.combine == reduction::minimum) function = "min";
            value.text = "vec::fold_" + function + '<' + std::string(cpp_name(of.accumulator)) +
                         ">(" + local.name + ')';
            if (of.continues)
                value = combined(scope_,
                                 of.combine,
                                 converted(scope_, loaded(scope_, place, element), of.accumulator),
                                 value);
        }
        store_line(scope_, place, element, std::move(value));
    }
    void write_neutral(std::uint32_t block)
    {
        nest_statement const& of = statement_of(block);
        element_type const element = element_of(block);
        store_line(scope_,
                   target_of(block),
                   element,
                   word(neutral_text(of.combine, element), element, false));
    }

    // ---- blocks

    void write_block(std::uint32_t index)
    {
        program_block const& block = scope_.program.blocks[index];
        nest_statement const& of = statement_of(index);
        local_target const& local = scope_.locals[index];
        // Names of parts are local to the block: another block, or instance, has its own.
        bool const braces = has_parts(of.value);
        if (braces) scope_.open("{");
        value_text value = nest_value_writer(scope_, block).value();
        if (of.combine == reduction::argument_of_maximum) {
            write_argument(of, local, value);
        } else if (!combines(of)) {
            store_line(scope_, target_of(index), element_of(index), std::move(value));
        } else {
            value = converted(scope_, std::move(value), of.accumulator);
            write_combination(index, local, std::move(value));
        }
        if (braces) scope_.close();
    }

    void write_combination(std::uint32_t index, local_target const& local, value_text value)
    {
        nest_statement const& of = statement_of(index);
        std::string const neutral = neutral_text(of.combine, of.accumulator);
        if (!local.name.empty()) {
            if (local.is_vector) {
                value = widened(scope_, std::move(value));
                if (!scope_.lane.count.empty())
                    value = word("vec::first(" + value.text + ", " + scope_.lane.count + ", " +
                                     neutral + ')',
                                 of.accumulator,
                                 true);
            }
            value_text const all = combined(
                scope_, of.combine, word(local.name, of.accumulator, local.is_vector), value);
            scope_.line(local.name + " = " + all.text + ';');
            return;
        }
        if (has_tile(index)) {
            element_place const place = target_of(index);
            all_lanes_of_buffer const all(scope_, scope_.program.blocks[index].target);
            value_text const old = loaded(scope_, place, of.accumulator);
            store_line(
                scope_, place, of.accumulator, combined(scope_, of.combine, old, std::move(value)));
            return;
        }
        element_type const element = element_of(index);
        element_place const place = target_of(index);
        value_text const old = converted(scope_, loaded(scope_, place, element), of.accumulator);
        store_line(scope_, place, element, combined(scope_, of.combine, old, std::move(value)));
    }

    void
    write_argument(nest_statement const& of, local_target const& local, value_text const& value)
    {
        std::string const at = local.name + "_at";
        std::uint32_t const axis = of.axes.back();
        scope_.open("if (" + at + " < 0 || " + value.operand() + " > " + local.name + ") {");
        scope_.line(local.name + " = " + value.text + ';');
        scope_.line(at + " = " + text_of(scope_.value_of(axis)) + ';');
        scope_.close();
    }

    /// Whether the target's former value counts.
    [[nodiscard]] static bool combines(nest_statement const& of)
    {
        return of.combine != reduction::none && (of.continues || of.axes.size() > of.spatial_count);
    }
    [[nodiscard]] bool has_parts(std::uint32_t value) const
    {
        std::vector<int> uses(scope_.program.nest.nodes.size(), 0);
        bool found = false;
        count_parts(value, uses, found);
        return found;
    }
    void count_parts(std::uint32_t n, std::vector<int>& uses, bool& found) const
    {
        if (n == no_index) return;
        nest_node const& node = scope_.program.nest.nodes[n];
        if (++uses[n] > 1) {
            found = found || node.code != nest_op::literal;
            return;
        }
        count_parts(node.first, uses, found);
        count_parts(node.second, uses, found);
        count_parts(node.third, uses, found);
    }

    nest_scope& scope_;
    std::vector<bool> has_begun_; ///< per block: its outermost reduction loop is being written
};

} // namespace attune::inline ATTUNE_ABI::detail
