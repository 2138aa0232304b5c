// attune/space/schedule/detail/inline_cheap.hpp - temporaries that are computed where they are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/for_each_node.hpp>
#include <attune/declare/nest/nest_operation.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The extent of an axis whose extent is a constant.
[[nodiscard]] inline std::int64_t steps_of_axis(nest_description const& nest, std::uint32_t axis)
{
    return nest.axes[axis].extent.constant;
}

/// Whether a value has a function that costs more than a load.
inline bool is_costly(nest_description const& nest, std::uint32_t value)
{
    bool out = false;
    for_each_node(nest, value, [&](std::uint32_t, nest_node const& node) {
        out = out || rules_of(node.code).is_costly;
    });
    return out;
}

/// Inlines what is cheap, or read by one statement that does not combine.
inline void inline_cheap(traced_program& p)
{
    for (std::uint32_t const block : blocks_inside(p.program, no_index)) {
        nest_description const& nest = p.program.nest;
        nest_statement const& of = nest.statements[p.program.blocks[block].statement];
        nest_array const& array = nest.arrays[of.target.array];
        if (of.combine != reduction::none || array.role != nest_role::temporary ||
            element_bytes(array.element) < 4)
            continue;
        std::size_t readers = 0;
        bool may = true;
        for (std::uint32_t const other : blocks_inside(p.program, no_index)) {
            nest_statement const& reader = nest.statements[p.program.blocks[other].statement];
            for (std::uint32_t const a : accesses_of(nest, reader)) {
                if (nest.accesses[a].array != of.target.array) continue;
                ++readers;
                may = may && !nest.accesses[a].is_padded;
                if (reader.combine != reduction::none) readers += 1;
            }
        }
        if (!may || (is_costly(nest, of.value) && readers > 1)) continue;
        p.apply(schedule_action::inlined, {block});
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
