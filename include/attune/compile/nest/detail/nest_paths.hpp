// attune/compile/nest/detail/nest_paths.hpp - the contents of the loops of a program, cut tiles, and bodies that may be copied.
// SPDX-License-Identifier: MIT
//
// A compiler that unrolls a loop around a tile copies the tile. LLVM before 20 does so for Zen 3
// and 4 up to thousands of instructions: their models state the size of the cache of decoded ones.
// The copies make no code faster, and caused half of the compile time of a program.
#pragma once

#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls f(block) for every block inside `items`, in order.
template <class F>
void each_block(loop_program const& program, std::vector<program_item> const& items, F const& f)
{
    for (program_item const item : items) {
        if (item.kind == item_kind::block) f(item.index);
        if (item.kind == item_kind::loop) each_block(program, program.loops[item.index].body, f);
    }
}

/// Calls f(loop) for every loop inside `items`, outer ones first.
template <class F>
void each_loop(loop_program const& program, std::vector<program_item> const& items, F const& f)
{
    for (program_item const item : items)
        if (item.kind == item_kind::loop) {
            f(item.index);
            each_loop(program, program.loops[item.index].body, f);
        }
}

[[nodiscard]] inline bool holds_block(loop_program const& program,
                                      std::vector<program_item> const& items, std::uint32_t block)
{
    bool found = false;
    each_block(program, items, [&](std::uint32_t b) { found = found || b == block; });
    return found;
}

[[nodiscard]] inline bool is_over(program_loop const& loop, std::uint32_t axis)
{
    for (loop_range const& range : loop.over)
        if (range.axis == axis) return true;
    return false;
}

/// The count that a loop of `step` over an axis leaves to the loops inside it. `name` is the text
/// of an unknown count.
[[nodiscard]] inline axis_count inner_count(axis_count const& outer, std::int64_t step,
                                            std::string const& name)
{
    if (outer.most >= 0 && outer.most <= step) return outer;
    if (step == 1) return {"1", 1, 0};
    std::int64_t tail = -1;
    if (outer.is_full())
        tail = outer.most % step;
    else if (outer.tail > 0 && outer.most % step == 0)
        tail = outer.tail % step;
    if (tail == 0) return {std::to_string(step), step, 0};
    return {name, step, tail, outer.is_decided};
}

/// The largest number of lanes of a vector.
inline constexpr std::int64_t most_lanes = 256;

/// Returns true if vectors with this number of lanes exist.
[[nodiscard]] constexpr bool is_lane_count(std::int64_t lanes) noexcept
{
    return lanes > 1 && lanes <= most_lanes && (lanes & (lanes - 1)) == 0;
}

inline void find_cuts(loop_program const& program, std::vector<program_item> const& items,
                      std::vector<axis_count> const& counts, std::vector<bool> const& inside,
                      std::vector<std::uint32_t>& cut, bool& waits)
{
    for (program_item const item : items) {
        if (item.kind != item_kind::loop) continue;
        program_loop const& loop = program.loops[item.index];
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
            // The compiler sees the counts of loops inside an unrolled one.
            if (is_small && !deeper[range.axis].is_full()) deeper[range.axis].tail = 0;
        }
        find_cuts(program, loop.body, deeper, within, cut, waits);
    }
}

/// The axes of unrolled and vector loops inside `items` whose counts are decided here and may be
/// less than whole. Empty while such a count is decided further inside.
[[nodiscard]] inline std::vector<std::uint32_t> cut_axes(nest_scope const& scope,
                                                         std::vector<program_item> const& items)
{
    std::vector<axis_count> counts;
    for (axis_place const& place : scope.axes)
        counts.push_back(place.count);
    std::vector<std::uint32_t> cut;
    bool waits = false;
    std::vector<bool> const inside(counts.size(), false);
    find_cuts(scope.program, items, counts, inside, cut, waits);
    if (waits) cut.clear();
    return cut;
}

/// Writes a call for each combination of whole and cut counts.
inline void call_tile(nest_scope& scope, std::string const& tile,
                      std::vector<axis_count> const& counts, std::size_t i,
                      std::string const& arguments)
{
    if (i == counts.size()) {
        scope.line(tile + '(' + arguments + ");");
        return;
    }
    std::string const comma = arguments.empty() ? "" : ", ";
    axis_count const& count = counts[i];
    std::string const most = std::to_string(count.most);
    scope.open("if (" + count.text + " == " + most + ") {");
    call_tile(scope, tile, counts, i + 1, arguments + comma + "vec::known<" + most + ">{}");
    scope.close("} else {");
    ++scope.depth;
    std::string const tail =
        count.tail > 0 ? "vec::known<" + std::to_string(count.tail) + ">{}" : count.text;
    call_tile(scope, tile, counts, i + 1, arguments + comma + tail);
    scope.close();
}

/// Loops that make more copies of their contents stay loops.
inline constexpr std::int64_t most_copies_of_body = 16;

/// Returns true if a loop over the rest of an axis has one step. Such a loop is not written.
[[nodiscard]] inline bool has_one_step(axis_count const& count, std::int64_t step)
{
    return count.most >= 0 && count.most <= step;
}

/// Returns true if items hold a loop that remains after unrolling of loops with few steps, inside
/// and around it.
/// @param copies  number of copies of the items by the loops around them
[[nodiscard]] inline bool holds_loop_that_stays(loop_program const& program,
                                                std::vector<program_item> const& items,
                                                std::vector<axis_count> const& counts,
                                                std::int64_t copies);

/// Returns true if the loop itself, or one inside it, remains.
[[nodiscard]] inline bool stays_loop(loop_program const& program, program_loop const& loop,
                                     std::vector<axis_count> counts, std::int64_t copies)
{
    bool const is_small = loop.kind == loop_kind::unrolled || loop.kind == loop_kind::vectorized;
    std::int64_t steps = 1;
    for (loop_range const& range : loop.over) {
        axis_count& count = counts[range.axis];
        if (!is_small && !count.is_full() && !has_one_step(count, range.step)) return true;
        if (!is_small) steps *= (count.most + range.step - 1) / range.step;
        count = inner_count(count, range.step, "?");
    }
    copies *= steps;
    return copies > most_copies_of_body || (loop.unroll > 0 && steps > loop.unroll) ||
           holds_loop_that_stays(program, loop.body, counts, copies);
}

inline bool holds_loop_that_stays(loop_program const& program,
                                  std::vector<program_item> const& items,
                                  std::vector<axis_count> const& counts, std::int64_t copies)
{
    for (program_item const item : items) {
        if (item.kind == item_kind::copy &&
            !program.buffers[program.copies[item.index].buffer].is_register)
            return true;
        if (item.kind == item_kind::loop &&
            stays_loop(program, program.loops[item.index], counts, copies))
            return true;
    }
    return false;
}

/// Returns true if items hold an unrolled loop, directly or in unwritten loops of one step.
[[nodiscard]] inline bool holds_unrolled_loop(loop_program const& program,
                                              std::vector<program_item> const& items,
                                              std::vector<axis_count> const& counts)
{
    for (program_item const item : items) {
        if (item.kind != item_kind::loop) continue;
        program_loop const& loop = program.loops[item.index];
        if (loop.kind == loop_kind::unrolled) return true;
        std::vector<axis_count> inner = counts;
        bool is_single = true;
        for (loop_range const& range : loop.over) {
            is_single = is_single && has_one_step(inner[range.axis], range.step);
            inner[range.axis] = inner_count(inner[range.axis], range.step, "?");
        }
        if (is_single && holds_unrolled_loop(program, loop.body, inner)) return true;
    }
    return false;
}

/// The line before a loop; empty: none. The compiler may not copy the body of a loop around another
/// one, or around a tile whose copies the schedule decides.
[[nodiscard]] inline std::string line_before_loop(nest_scope const& scope, program_loop const& loop)
{
    if (loop.kind == loop_kind::parallel) return "#pragma omp parallel for schedule(static)";
    if (loop.kind == loop_kind::unrolled) return "VEC_UNROLL";
    if (loop.unroll > 1) return "VEC_UNROLL_BY(" + std::to_string(loop.unroll) + ')';
    std::vector<axis_count> counts;
    for (axis_place const& place : scope.axes)
        counts.push_back(place.count);
    if (!stays_loop(scope.program, loop, counts, 1)) return {};
    for (loop_range const& range : loop.over)
        counts[range.axis] = inner_count(counts[range.axis], range.step, "?");
    bool const is_closed = holds_unrolled_loop(scope.program, loop.body, counts) ||
                           holds_loop_that_stays(scope.program, loop.body, counts, 1);
    return is_closed ? "VEC_NO_UNROLL" : "";
}

} // namespace attune::inline ATTUNE_ABI::detail
