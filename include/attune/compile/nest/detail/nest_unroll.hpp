// attune/compile/nest/detail/nest_unroll.hpp - whether the compiler may copy the body of a loop.
// SPDX-License-Identifier: MIT
//
// A compiler that unrolls a loop around a tile copies the tile: LLVM before 20 does so for Zen 3
// and 4 up to thousands of instructions, because their models state the size of a cache of decoded
// ones. The copies make no code faster, and were half of what compiling a program cost.
#pragma once

#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Loops that make more copies of what they hold stay loops.
inline constexpr std::int64_t most_copies_of_body = 16;

/// Whether a loop over what an axis has left has one step: it is not written then.
[[nodiscard]] inline bool has_one_step(axis_count const& count, std::int64_t step)
{
    return count.most >= 0 && count.most <= step;
}

/// Whether items hold a loop that is still one where loops with few steps, in it and around it, are
/// unrolled.
/// @param copies  of the items that the loops around them make
[[nodiscard]] inline bool holds_loop_that_stays(loop_program const& program,
                                                std::vector<program_item> const& items,
                                                std::vector<axis_count> const& counts,
                                                std::int64_t copies);

/// The same of a loop itself.
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

/// Whether items hold an unrolled loop, directly or in loops of one step, which are not written.
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

/// What stands before a loop; empty: nothing. The compiler may not copy the body of a loop that is
/// around another one, or around a tile whose copies are a decision of the schedule.
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
