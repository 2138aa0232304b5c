// attune/compile/nest/detail/nest_paths.hpp - what lies inside the loops of a program.
// SPDX-License-Identifier: MIT
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

/// The loops from `items` to a block, outermost first; empty where it is not inside.
inline bool append_path(loop_program const& program, std::vector<program_item> const& items,
                        program_item wanted, std::vector<std::uint32_t>& path)
{
    for (program_item const item : items) {
        if (item == wanted) return true;
        if (item.kind != item_kind::loop) continue;
        path.push_back(item.index);
        if (append_path(program, program.loops[item.index].body, wanted, path)) return true;
        path.pop_back();
    }
    return false;
}

/// What a loop of `step` over an axis leaves to the loops inside it; the text of a count that is
/// not known is `name`.
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

/// Whether vectors of so many numbers exist.
[[nodiscard]] constexpr bool is_lane_count(std::int64_t lanes) noexcept
{
    return lanes > 1 && lanes <= most_lanes && (lanes & (lanes - 1)) == 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
