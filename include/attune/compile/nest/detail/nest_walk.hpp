// attune/compile/nest/detail/nest_walk.hpp - writes the loops of a program, from the outside in.
// SPDX-License-Identifier: MIT
//
// If the end of an axis may cut off a tile of unrolled and vector loops, the tile's text becomes a
// function of the counts. Whole tiles, whose counts the compiler knows, have one instance; each
// tail has one.
#pragma once

#include <attune/compile/nest/detail/nest_blocks.hpp>
#include <attune/compile/nest/detail/nest_copies.hpp>
#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class program_walk {
public:
    explicit program_walk(nest_scope& scope)
        : scope_(scope)
        , has_begun_(scope.program.blocks.size(), false)
    {
        std::vector<axis_count> counts;
        for (axis_place const& place : scope.axes)
            counts.push_back(place.count);
        size_buffers(scope_, no_index, scope.program.body, counts);
    }

    void write()
    {
        declare_on_heap(scope_, scope_.program.body, no_index);
        body(no_index, scope_.program.body);
        end_stream(scope_, scope_.program.body);
    }

    /// Writes the loops that fill a form of a constant array.
    void write_fill(std::uint32_t buffer)
    {
        enter_buffers(scope_, no_index, false);
        for (program_copy const& copy : scope_.program.copies)
            if (copy.buffer == buffer && copy.kind == copy_kind::load)
                nest_copy_writer(scope_, copy).write();
    }

private:
    // ---- bodies

    void body(std::uint32_t loop, std::vector<program_item> const& items)
    {
        std::vector<std::uint32_t> const cut = cut_axes(scope_, items);
        if (cut.empty()) {
            enter_buffers(scope_, loop);
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
        std::vector<std::string> given; // numbers, or vec::known
        std::vector<std::string> names;
        for (std::uint32_t const axis : cut) {
            std::string const& of = scope_.program.nest.axes[axis].name;
            given.push_back(scope_.new_name(of + "_given"));
            names.push_back(scope_.new_name(of + "_count"));
            parameters += (parameters.empty() ? "auto " : ", auto ") + given.back();
        }
        std::string const tile = scope_.new_name("tile");
        scope_.open("auto const " + tile + " = [&](" + parameters +
                    ") __attribute__((always_inline)) {");
        // GCC takes no pragma of a loop whose condition calls a conversion.
        for (std::size_t i = 0; i < cut.size(); ++i)
            scope_.line("long const " + names[i] + " = " + given[i] + ';');
        for (std::size_t i = 0; i < cut.size(); ++i)
            scope_.axes[cut[i]].count = {names[i], before[i].most, before[i].tail, true};
        enter_buffers(scope_, loop);
        for (program_item const item : items)
            write_item(item);
        for (std::size_t i = 0; i < cut.size(); ++i)
            scope_.axes[cut[i]].count = before[i];
        scope_.close("};");
        call_tile(scope_, tile, before, 0, {});
    }

    void write_item(program_item item)
    {
        switch (item.kind) {
        case item_kind::loop:
            write_loop(item.index, no_index);
            break;
        case item_kind::block:
            write_block(scope_, item.index);
            break;
        case item_kind::copy:
            if (keeps_form(scope_.program, scope_.program.copies[item.index].buffer)) break;
            nest_copy_writer(scope_, scope_.program.copies[item.index]).write();
            break;
        }
    }

    // ---- loops

    /// @param only  writes the neutral value of this block's target, without its reduction loops
    void write_loop(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        std::vector<std::uint32_t> local;
        if (only == no_index) local = begin_reductions(index);
        if (only != no_index &&
            is_reduction_axis(statement_of(scope_, only), loop.over.front().axis)) {
            inside_of(index, only);
        } else if (loop.kind == loop_kind::vectorized) {
            write_lanes(index, only);
        } else if (loop.over.size() == 1) {
            write_plain_loop(index, only);
        } else {
            write_fused_loop(index, only);
        }
        for (std::uint32_t const block : local) {
            end_local(scope_, block);
            has_begun_[block] = false;
        }
    }

    void inside_of(std::uint32_t index, std::uint32_t only)
    {
        program_loop const& loop = scope_.program.loops[index];
        if (only == no_index) {
            if (loop.kind == loop_kind::parallel) declare_on_heap(scope_, loop.body, index);
            body(index, loop.body);
            if (loop.kind == loop_kind::parallel) end_stream(scope_, loop.body);
            return;
        }
        for (program_item const item : loop.body) {
            if (item.kind == item_kind::block && item.index == only) write_neutral(scope_, only);
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
        if (count.most > 0 && count.most <= range.step) { // one step
            inside_of(index, only);
            return;
        }
        std::string const name = variable_of(range.axis);
        if (std::string const line = line_before_loop(scope_, loop); !line.empty())
            scope_.line(line);
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
        scope_.line("[[maybe_unused]] long const " + left + " = " + rest + " < " + step + " ? " +
                    rest + " : " + step + ';');
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
        if (std::string const line = line_before_loop(scope_, loop); !line.empty())
            scope_.line(line);
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

    /// i_0, i_1, ... from the outermost loop over an axis inwards.
    [[nodiscard]] std::string variable_of(std::uint32_t axis) const
    {
        return scope_.new_name(scope_.program.nest.axes[axis].name + '_' +
                               std::to_string(scope_.axes[axis].offsets.size()));
    }

    // ---- reductions without a buffer

    /// Begins the reductions whose outermost reduction loop this is. The targets get the neutral
    /// value. If all of the block's spatial loops are around the loop, the target is a local
    /// variable.
    /// @return  the blocks with a local variable
    [[nodiscard]] std::vector<std::uint32_t> begin_reductions(std::uint32_t index)
    {
        program_loop const& loop = scope_.program.loops[index];
        std::vector<std::uint32_t> local;
        each_block(scope_.program, loop.body, [&](std::uint32_t block) {
            nest_statement const& of = statement_of(scope_, block);
            if (of.combine == reduction::none || has_begun_[block]) return;
            bool is_own = false;
            for (loop_range const& range : loop.over)
                is_own = is_own || is_reduction_axis(of, range.axis);
            if (!is_own) return;
            has_begun_[block] = true;
            if (has_tile(scope_, block)) {
                std::string const none = condition_of_no_steps(scope_, index, block);
                if (none.empty()) return;
                scope_.open("if (" + none + ") { // no tile is begun");
                write_loop(index, block);
                scope_.close();
                return;
            }
            if (is_local(scope_, index, block)) {
                begin_local(scope_, index, block);
                local.push_back(block);
            } else if (!holds_parts(scope_.program.nest, of)) {
                throw error("an array holds sums that are not finished, and its type rounds them",
                            scope_.program.nest.arrays[of.target.array].name,
                            "cache_write the statement, or leave its reduction loops innermost");
            } else if (!of.continues) {
                write_loop(index, block);
            }
        });
        return local;
    }

    nest_scope& scope_;
    std::vector<bool>
        has_begun_; ///< per block: true while its outermost reduction loop is being written
};

} // namespace attune::inline ATTUNE_ABI::detail
