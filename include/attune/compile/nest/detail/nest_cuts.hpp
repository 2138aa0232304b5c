// attune/compile/nest/detail/nest_cuts.hpp - which tiles the end of an axis may cut off.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
            // Loops inside an unrolled one have counts that the compiler sees.
            if (is_small && !deeper[range.axis].is_full()) deeper[range.axis].tail = 0;
        }
        find_cuts(program, loop.body, deeper, within, cut, waits);
    }
}

/// The axes of unrolled and vector loops inside `items` whose counts are decided here and may
/// be less than whole; none while such a count is decided further inside.
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

/// One call for each combination of whole and cut counts.
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

} // namespace attune::inline ATTUNE_ABI::detail
