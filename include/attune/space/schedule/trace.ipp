// attune/space/schedule/trace.ipp - the definitions of trace.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/enum_table.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/rewrite.hpp>
#include <attune/space/schedule/trace.hpp>
#include <attune/space/schedule/transform.hpp>

#include <charconv>
#include <cstddef>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

struct schedule_action_row {
    schedule_action of{};
    std::string_view name{};
    std::size_t numbers = 0; ///< the fewest numbers of a step
};

inline constexpr enum_table<schedule_action_row, schedule_action::slice> schedule_actions{{
    {schedule_action::split, "split", 2},
    {schedule_action::split_whole, "split_whole", 2},
    {schedule_action::reorder, "reorder", 2},
    {schedule_action::fuse, "fuse", 2},
    {schedule_action::parallelize, "parallelize", 1},
    {schedule_action::vectorize, "vectorize", 1},
    {schedule_action::unroll, "unroll", 2},
    {schedule_action::cache_read, "cache_read", 4},
    {schedule_action::cache_write, "cache_write", 3},
    {schedule_action::compute_at, "compute_at", 2},
    {schedule_action::inlined, "inline", 1},
    {schedule_action::rfactor, "rfactor", 2},
    {schedule_action::stream, "stream", 1},
    {schedule_action::slice, "slice", 3},
}};

inline void require_block(loop_program const& program, std::uint32_t block)
{
    if (block >= program.blocks.size())
        throw error("there is no statement " + std::to_string(block), program.nest.name,
                    "name a statement of the program");
}

} // namespace detail

ATTUNE_INLINE std::uint32_t apply_step(loop_program& program, schedule_step const& step)
{
    std::vector<std::int64_t> const& n = step.numbers;
    detail::schedule_action_row const& row = detail::schedule_actions[step.action];
    if (n.size() < row.numbers)
        throw error("the step " + std::string(row.name) + " has " + std::to_string(n.size()) +
                        " numbers, not " + std::to_string(row.numbers),
                    program.nest.name, "give all numbers of the step");
    auto const at = [&n](std::size_t i) { return static_cast<std::uint32_t>(n[i]); };
    switch (step.action) {
    case schedule_action::split:
        return split_loop(program, at(0), n[1]);
    case schedule_action::split_whole:
        return split_loop(program, at(0), n[1], split_rest::refused);
    case schedule_action::reorder: {
        std::vector<std::uint32_t> loops;
        for (std::size_t i = 0; i < n.size(); ++i)
            loops.push_back(at(i));
        reorder_loops(program, loops);
        break;
    }
    case schedule_action::fuse:
        fuse_loops(program, at(0), at(1));
        break;
    case schedule_action::parallelize:
        parallelize(program, at(0));
        break;
    case schedule_action::vectorize:
        vectorize(program, at(0));
        break;
    case schedule_action::unroll:
        unroll(program, at(0), at(1));
        break;
    case schedule_action::cache_read: {
        detail::require_block(program, at(0));
        std::vector<layout_digit> layout;
        for (std::size_t i = 4; i + 1 < n.size(); i += 2)
            layout.push_back({at(i), n[i + 1]});
        return cache_read(program, at(0), at(1), at(2),
                          n[3] == 0 ? copy_form::array : copy_form::axes, std::move(layout));
    }
    case schedule_action::cache_write:
        detail::require_block(program, at(0));
        return cache_write(program, at(0), at(1), n[2] != 0);
    case schedule_action::compute_at:
        detail::require_block(program, at(0));
        compute_at(program, at(0), at(1));
        break;
    case schedule_action::inlined:
        detail::require_block(program, at(0));
        inline_statement(program, at(0));
        break;
    case schedule_action::rfactor:
        detail::require_block(program, at(0));
        return rfactor(program, at(0), at(1));
    case schedule_action::stream:
        detail::require_block(program, at(0));
        stream_stores(program, at(0));
        break;
    case schedule_action::slice:
        slice_program(program, at(0), n[1], n[2] != 0);
        break;
    }
    return no_index;
}

ATTUNE_INLINE std::uint32_t traced_program::apply(schedule_action action,
                                                  std::vector<std::int64_t> numbers)
{
    schedule_step step{action, std::move(numbers)};
    std::uint32_t const made = apply_step(program, step);
    trace.push_back(std::move(step));
    return made;
}

ATTUNE_INLINE loop_program replay_trace(nest_description const& nest, schedule_trace const& trace)
{
    loop_program program = plain_program(nest);
    for (std::size_t i = 0; i < trace.size(); ++i) {
        try {
            (void)apply_step(program, trace[i]);
        } catch (error const& thrown) {
            throw error(thrown.what_alone(),
                        "step " + std::to_string(i + 1) + ", " + thrown.where(), thrown.next());
        }
    }
    return program;
}

ATTUNE_INLINE std::string text_of(schedule_trace const& trace)
{
    std::string out;
    for (schedule_step const& step : trace) {
        out += detail::schedule_actions[step.action].name;
        for (std::int64_t const number : step.numbers)
            out += ' ' + std::to_string(number);
        out += '\n';
    }
    return out;
}

ATTUNE_INLINE schedule_trace read_trace(std::string_view text)
{
    schedule_trace trace;
    for (std::size_t line = 1; !text.empty(); ++line) {
        std::string_view rest = text.substr(0, text.find('\n'));
        text.remove_prefix(rest.size() < text.size() ? rest.size() + 1 : rest.size());
        if (rest.empty()) continue;
        std::string_view const name = rest.substr(0, rest.find(' '));
        rest.remove_prefix(name.size());
        schedule_step step;
        bool is_known = false;
        for (std::size_t a = 0; a <= static_cast<std::size_t>(schedule_action::slice); ++a) {
            auto const action = static_cast<schedule_action>(a);
            if (detail::schedule_actions[action].name != name) continue;
            step.action = action;
            is_known = true;
        }
        while (is_known && !rest.empty()) {
            rest.remove_prefix(1);
            std::int64_t number = 0;
            auto const read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
            is_known = read.ec == std::errc{};
            rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
            is_known = is_known && (rest.empty() || rest.front() == ' ');
            step.numbers.push_back(number);
        }
        if (!is_known)
            throw error("a line is no step of a trace", "line " + std::to_string(line),
                        "write an action and its numbers: split 3 8");
        trace.push_back(std::move(step));
    }
    return trace;
}

namespace detail {

/// Returns true if a value has a function that costs more than a load.
inline bool is_costly(nest_description const& nest, std::uint32_t value)
{
    bool out = false;
    for_each_node(nest, value, [&](std::uint32_t, nest_node const& node) {
        out = out || rules_of(node.code).is_costly;
    });
    return out;
}

ATTUNE_INLINE void inline_cheap(traced_program& p,
                                std::function<bool(nest_description const& in, std::uint32_t reader,
                                                   std::uint32_t value)> const& may)
{
    for (std::uint32_t const block : blocks_inside(p.program, no_index)) {
        nest_description const& nest = p.program.nest;
        nest_statement const& of = nest.statements[p.program.blocks[block].statement];
        nest_array const& array = nest.arrays[of.target.array];
        if (of.combine != reduction::none || array.role != nest_role::temporary ||
            element_bytes(array.element) < 4)
            continue;
        std::size_t readers = 0;
        bool is_allowed = true;
        for (std::uint32_t const other : blocks_inside(p.program, no_index)) {
            nest_statement const& reader = nest.statements[p.program.blocks[other].statement];
            for (std::uint32_t const a : accesses_of(nest, reader)) {
                if (nest.accesses[a].array != of.target.array) continue;
                ++readers;
                is_allowed = is_allowed && !nest.accesses[a].is_padded &&
                             (!may || may(nest, p.program.blocks[other].statement, of.value));
                if (reader.combine != reduction::none) readers += 1;
            }
        }
        if (!is_allowed || (is_costly(nest, of.value) && readers > 1)) continue;
        p.apply(schedule_action::inlined, {block});
    }
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
