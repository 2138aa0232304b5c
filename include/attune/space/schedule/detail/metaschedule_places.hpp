// attune/space/schedule/detail/metaschedule_places.hpp - the loops of the last reader in which a plain statement may be computed.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule: RandomComputeLocation
// tested by space/schedule/metaschedule.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Statements that the rules of MetaSchedule schedule together.
struct placed_part {
    std::uint32_t statement = no_index;
    std::uint32_t reader = no_index; ///< statement scheduled with it; no_index: none
    bool is_plain = true;            ///< its design is the plain one
    std::string prefix{};            ///< of names of its parameters
};

/// The parts that read the result of another part, in order.
[[nodiscard]] inline std::vector<std::size_t> readers_of(nest_description const& nest,
                                                         std::vector<placed_part> const& parts,
                                                         std::size_t producer)
{
    nest_access const& target = nest.statements[parts[producer].statement].target;
    std::vector<std::size_t> out;
    for (std::size_t other = 0; other < parts.size(); ++other)
        for (std::uint32_t const s : {parts[other].statement, parts[other].reader})
            if (other != producer && s != no_index &&
                reads_array(nest, nest.statements[s], target.array))
                out.push_back(other);
    return out;
}

/// Returns true if a part and its readers may be computed inside other loops.
[[nodiscard]] inline bool may_be_placed(nest_description const& nest,
                                        std::vector<placed_part> const& parts, std::size_t producer)
{
    std::vector<std::size_t> const readers = readers_of(nest, parts, producer);
    nest_statement const& of = nest.statements[parts[producer].statement];
    bool may = !readers.empty() && nest.arrays[of.target.array].role == nest_role::temporary &&
               !of.axes.empty() && parts[producer].is_plain;
    for (std::size_t const reader : readers) {
        may = may && parts[reader].is_plain;
        if (reader == readers.back()) continue;
        std::vector<std::size_t> const next = readers_of(nest, parts, reader);
        may = may && !next.empty() && next.back() == readers.back();
    }
    return may;
}

/// Computes a part inside the first `level` loops around its last reader. Moves the parts between
/// the part and this reader first.
inline void place_with_readers(std::vector<placed_part> const& parts, std::size_t producer,
                               std::size_t level, loop_program& program)
{
    std::vector<std::size_t> const readers = readers_of(program.nest, parts, producer);
    for (std::size_t i = readers.size() - 1; i-- > 0;)
        place_with_readers(parts, readers[i], level, program);
    std::uint32_t const block = parts[producer].statement;
    auto const path = loops_around(program, {item_kind::block, parts[readers.back()].statement});
    auto const own = loops_around(program, {item_kind::block, block});
    if (own.empty() || own.front() != path.front()) compute_at(program, block, path[level - 1]);
}

/// The values of AT: how many loops of its last reader may be around a part. The last of these
/// loops is a spatial loop of several iterations that compute_at() accepts.
[[nodiscard]] inline std::vector<std::int64_t> levels_of_part(nest_description const& nest,
                                                              std::vector<placed_part> const& parts,
                                                              std::size_t producer)
{
    std::vector<std::int64_t> out{0};
    if (!may_be_placed(nest, parts, producer)) return out;
    nest_statement const& reader =
        nest.statements[parts[readers_of(nest, parts, producer).back()].statement];
    loop_program start = plain_program(nest);
    std::erase_if(start.body, [&](program_item item) { // inlined statements and other groups
        std::vector<std::uint32_t> const held = item.kind == item_kind::block
                                                    ? std::vector<std::uint32_t>{item.index}
                                                    : blocks_inside(start, item.index);
        return std::none_of(parts.begin(), parts.end(),
                            [&held](auto const& part) { return part.statement == held.front(); });
    });
    for (std::uint32_t level = 1; level <= reader.spatial_count; ++level) {
        if (steps_of_axis(nest, reader.axes[level - 1]) < 2) continue;
        try {
            loop_program tried = start;
            place_with_readers(parts, producer, level, tried);
            out.push_back(level);
        } catch (error const&) {
            continue; // several elements are needed there
        }
    }
    return out;
}

/// Adds a parameter AT for each part that may be computed inside its last reader's loops.
/// @param may_be_parts  by part: true if DESIGN may differ from plain
inline void declare_places(space_builder& space, nest_description const& nest,
                           std::vector<placed_part> const& parts,
                           std::vector<bool> const& may_be_parts)
{
    std::vector<bool> has_place(parts.size(), false);
    for (std::size_t i = parts.size(); i-- > 0;) {
        std::vector<std::int64_t> const levels = levels_of_part(nest, parts, i);
        if (levels.size() < 2) continue;
        std::vector<std::size_t> const readers = readers_of(nest, parts, i);
        bool const may = std::all_of(readers.begin(), readers.end() - 1,
                                     [&](std::size_t reader) { return has_place[reader]; });
        if (!may) continue;
        has_place[i] = true;
        std::string const name = parts[i].prefix + "AT";
        space.ordinal(name, levels, 0);
        auto const is_plain = [&](std::size_t part) {
            return space.is(parts[part].prefix + "DESIGN", "plain");
        };
        if (may_be_parts[i]) space.active_if(name, is_plain(i));
        std::uint32_t const own = space.node(op::equal, space.value(name), space.number(0));
        for (std::size_t const reader : readers) {
            if (may_be_parts[reader])
                space.where(space.node(op::logical_or, own, is_plain(reader)));
            if (!has_place[reader]) continue;
            std::string const other = parts[reader].prefix + "AT";
            std::uint32_t within =
                space.node(op::less_equal, space.value(name), space.value(other));
            if (reader == readers.back())
                within =
                    space.node(op::logical_or,
                               space.node(op::equal, space.value(other), space.number(0)), within);
            space.where(within);
        }
    }
}

/// Moves the parts whose AT is not 0, the last one first.
/// @return  by part: true if it was moved
inline std::vector<bool> schedule_places(nest_description const& nest,
                                         std::vector<placed_part> const& parts,
                                         schedule_choices const& chosen, traced_program& p)
{
    std::vector<bool> is_placed(parts.size(), false);
    for (std::size_t i = parts.size(); i-- > 0;) {
        std::string const name = parts[i].prefix + "AT";
        std::int64_t level = 0;
        for (schedule_choices::choice const& one : chosen.all)
            if (one.name == name) level = chosen.number(name);
        if (level == 0 || !parts[i].is_plain) continue;
        std::uint32_t const reader = parts[readers_of(nest, parts, i).back()].statement;
        auto const path = loops_around(p.program, {item_kind::block, reader});
        p.apply(schedule_action::compute_at,
                {parts[i].statement, path[static_cast<std::size_t>(level) - 1]});
        is_placed[i] = true;
    }
    return is_placed;
}

} // namespace attune::inline ATTUNE_ABI::detail
