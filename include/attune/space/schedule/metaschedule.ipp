// attune/space/schedule/metaschedule.ipp - the definitions of metaschedule.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/schedule/detail/metaschedule_places.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/space/schedule/program_features.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::int64_t jobs_per_core = 16;
inline constexpr std::int64_t most_innermost = 64;

/// Returns true if a read lacks a spatial axis of the reduction.
inline bool has_data_reuse(nest_description const& nest, nest_statement const& of)
{
    if (of.combine == reduction::none || of.axes.size() == of.spatial_count) return false;
    for (std::uint32_t const a : accesses_of(nest, of))
        for (std::uint32_t s = 0; s < of.spatial_count; ++s)
            if (steps_of_axis(nest, of.axes[s]) > 1 && !has_axis(nest.accesses[a], of.axes[s]))
                return true;
    return false;
}

inline std::string tile_name(nest_description const& nest, metaschedule_design::part const& part,
                             std::uint32_t axis)
{
    return part.prefix + "TILE_" + nest.axes[axis].name;
}

/// @param design  the parameter that decides if the design has this tile; empty: it always has it
inline void declare_tile(space_builder& space, nest_description const& nest,
                         std::string const& name, std::uint32_t axis, std::uint32_t parts,
                         std::string const& design)
{
    space.tile(name, steps_of_axis(nest, axis), parts);
    std::uint32_t holds =
        space.node(op::less_equal, space.factor(name, static_cast<std::int64_t>(parts) - 1),
                   space.number(most_innermost));
    if (!design.empty()) {
        std::uint32_t const is_plain = space.is(design, "plain");
        space.active_if(name, space.node(op::not_equal, space.value(design), space.word("plain")));
        holds = space.node(op::logical_or, is_plain, holds);
    }
    space.where(holds);
}

[[nodiscard]] inline bool is_tiled(metaschedule_choice choice)
{
    return choice == metaschedule_choice::tiled || choice == metaschedule_choice::tiled_cache1 ||
           choice == metaschedule_choice::tiled_cache2;
}

/// The loops of one axis, split by the factors of a tile.
inline std::vector<std::int64_t> split_by_tile(traced_program& p, std::uint32_t loop,
                                               std::vector<std::int64_t> const& factors)
{
    std::vector<std::int64_t> loops{loop};
    for (std::size_t i = 0; i + 1 < factors.size(); ++i) {
        std::int64_t inside = 1;
        for (std::size_t k = i + 1; k < factors.size(); ++k)
            inside *= factors[k];
        loops.push_back(p.apply(schedule_action::split_whole, {loops.back(), inside}));
    }
    return loops;
}

inline std::vector<std::int64_t> factors_of(schedule_choices const& chosen, std::string const& name)
{
    auto const numbers = parse_integers(without_spaces(chosen.text(name)));
    if (!numbers) throw error("a value is no tile", name, "give factors: {1, 2, 4, 8}");
    return *numbers;
}

inline void declare_unroll(space_builder& space, std::string const& name)
{
    space.ordinal(name, {0, 16, 64, 512}, 16);
}

/// The possible designs of a statement.
[[nodiscard]] inline std::vector<metaschedule_choice>
metaschedule_choices(nest_description const& nest, nest_statement const& of,
                     processor_shape const& processor)
{
    using enum metaschedule_choice;
    std::int64_t length = 1;
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i)
        length *= steps_of_axis(nest, of.axes[i]);
    if (of.combine == reduction::argument_of_maximum) return {plain};
    if (has_data_reuse(nest, of)) {
        if (holds_parts(nest, of)) return {tiled, tiled_cache1, tiled_cache2};
        return {tiled_cache1, tiled_cache2}; // other types would round in between
    }
    if (of.axes.size() == of.spatial_count + 1 && length > jobs_per_core * processor.cores)
        return {plain, outer_parts, inner_parts};
    return {plain};
}

/// Declares the parameters of a part with designs other than plain.
/// @param design  see declare_tile()
inline void declare_tiles(space_builder& space, nest_description const& nest,
                          metaschedule_design::part const& part, std::string const& design = {})
{
    nest_statement const& of = nest.statements[part.statement];
    if (!is_tiled(part.choice)) {
        std::uint32_t const axis = of.axes.back();
        declare_tile(space, nest, tile_name(nest, part, axis), axis, 2U, design);
        return;
    }
    for (std::size_t i = 0; i < of.axes.size(); ++i)
        declare_tile(space, nest, tile_name(nest, part, of.axes[i]), of.axes[i],
                     i < of.spatial_count ? 4U : 2U, design);
}

/// Returns true if each read of a statement uses axes of its target in order, shifted or not: the
/// condition of MetaSchedule for a write cache.
[[nodiscard]] inline bool reads_in_order(nest_description const& nest, nest_statement const& of)
{
    for (std::uint32_t const a : accesses_of(nest, of)) {
        auto next = of.axes.begin();
        for (affine_index const& index : nest.accesses[a].at) {
            if (index.terms.empty()) continue;
            if (index.terms.size() != 1 || index.terms.front().factor != 1) return false;
            next = std::find(next, of.axes.end(), index.terms.front().axis);
            if (next == of.axes.end()) return false;
            ++next;
        }
    }
    return true;
}

/// The only reader of a product, if it reads element by element; no_index: none.
[[nodiscard]] inline std::uint32_t reader_of_product(nest_description const& nest,
                                                     std::vector<std::uint32_t> const& statements,
                                                     std::uint32_t product)
{
    nest_statement const& of = nest.statements[product];
    std::uint32_t const array = of.target.array;
    if (nest.arrays[array].role != nest_role::temporary || !rules_of(of.combine).joins_parts ||
        !has_data_reuse(nest, of))
        return no_index;
    std::uint32_t reader = no_index;
    for (std::uint32_t const other : statements) {
        if (!reads_array(nest, nest.statements[other], array)) continue;
        if (reader != no_index) return no_index;
        reader = other;
    }
    bool const may = reader != no_index && reads_each_element(nest, reader, product) &&
                     reads_in_order(nest, nest.statements[reader]);
    return may ? reader : no_index;
}

/// The parts of a program, in the order of the statements.
/// @param prefix  of parameters if this is one part
[[nodiscard]] inline std::vector<metaschedule_design::part>
metaschedule_parts(nest_description const& nest, std::vector<std::uint32_t> const& statements,
                   std::string const& prefix)
{
    std::vector<metaschedule_design::part> parts;
    std::vector<std::uint32_t> taken;
    for (std::uint32_t const statement : statements) {
        if (std::find(taken.begin(), taken.end(), statement) != taken.end()) continue;
        metaschedule_design::part part{statement, metaschedule_choice::plain, prefix, no_index};
        std::uint32_t const reader = reader_of_product(nest, statements, statement);
        if (std::find(taken.begin(), taken.end(), reader) == taken.end()) part.reader = reader;
        if (part.reader != no_index) taken.push_back(reader);
        parts.push_back(std::move(part));
    }
    if (parts.size() > 1)
        for (metaschedule_design::part& part : parts) {
            std::uint32_t const last = part.reader == no_index ? part.statement : part.reader;
            part.prefix = nest.arrays[nest.statements[last].target.array].name + '_';
        }
    return parts;
}

/// Returns true if each array of a statement has equal or neighbouring elements along the
/// statement's last axis.
[[nodiscard]] inline bool is_contiguous_in_lanes(nest_description const& nest,
                                                 nest_statement const& of)
{
    std::uint32_t const axis = of.axes[of.spatial_count - 1];
    auto const is_line = [axis](nest_access const& access) {
        return !has_axis(access, axis) || is_contiguous(access, axis);
    };
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    return is_line(of.target) && std::all_of(reads.begin(), reads.end(), [&](std::uint32_t a) {
               return is_line(nest.accesses[a]);
           });
}

/// Makes lanes of the last axis of a statement without reduction, if it has 2 to 64 steps.
inline void vectorize_last_axis(std::uint32_t block, traced_program& p)
{
    nest_statement const& of = p.program.nest.statements[block];
    if (of.combine != reduction::none || of.spatial_count == 0) return;
    std::uint32_t const loop = loops_around(p.program, {item_kind::block, block}).back();
    std::int64_t const steps = iterations_of(p.program, loop).value_or(0);
    if (steps > 1 && steps <= most_innermost && p.program.loops[loop].body.size() == 1)
        p.apply(schedule_action::vectorize, {loop});
}

/// Runs the last axis of a statement in lanes, and its outermost loop in threads unless the
/// statement is placed in other loops.
inline void schedule_plain(std::uint32_t block, bool is_placed, traced_program& p)
{
    nest_description const& nest = p.program.nest;
    nest_statement const& of = nest.statements[block];
    if (of.spatial_count == 0) return;
    std::vector<std::uint32_t> const path = loops_around(p.program, {item_kind::block, block});
    if (of.combine == reduction::none && blocks_inside(p.program, path.front()).size() == 1 &&
        iterations_of(p.program, path.back()).value_or(0) > most_innermost &&
        is_contiguous_in_lanes(nest, of))
        p.apply(schedule_action::split, {path.back(), most_innermost});
    vectorize_last_axis(block, p);
    if (!is_placed && p.program.loops[path.front()].kind == loop_kind::serial)
        p.apply(schedule_action::parallelize, {path.front()});
}

[[nodiscard]] inline std::vector<placed_part>
placed_parts(std::vector<metaschedule_design::part> const& parts)
{
    std::vector<placed_part> out;
    for (metaschedule_design::part const& part : parts)
        out.push_back(
            {part.statement, part.reader, part.choice == metaschedule_choice::plain, part.prefix});
    return out;
}

/// @param nest   of the program before its first step
/// @param limit  the most copies of a body that unrolled loops make
inline void schedule_tiled(metaschedule_design::part const& part, schedule_choices const& chosen,
                           std::int64_t limit, nest_description const& nest, traced_program& p)
{
    using enum schedule_action;
    using enum metaschedule_choice;
    using loops_of_axes = std::vector<std::vector<std::int64_t>>;
    std::uint32_t const block = part.statement;
    nest_statement const& of = nest.statements[block];
    std::size_t const cached = part.choice == tiled_cache1   ? 1U
                               : part.choice == tiled_cache2 ? 2U
                                                             : 0U;
    // The number of spatial levels whose loops are those of the reader.
    std::size_t const joined = part.reader == no_index ? 0U : cached;
    loops_of_axes factors;
    for (std::uint32_t const axis : of.axes)
        factors.push_back(factors_of(chosen, tile_name(nest, part, axis)));
    std::vector<std::int64_t> order;
    auto const level = [&order](loops_of_axes const& of_axes, std::size_t which) {
        for (std::vector<std::int64_t> const& loops : of_axes)
            order.push_back(loops[which]);
    };
    std::vector<std::int64_t> outer;
    if (joined > 0) {
        loops_of_axes loops;
        auto const path = loops_around(p.program, {item_kind::block, part.reader});
        for (std::size_t s = 0; s < of.spatial_count; ++s) {
            auto const rest = factors[s].begin() + static_cast<std::ptrdiff_t>(joined);
            std::vector<std::int64_t> own(factors[s].begin(), rest);
            own.push_back(
                std::accumulate(rest, factors[s].end(), std::int64_t{1}, std::multiplies<>{}));
            factors[s].erase(factors[s].begin(), rest);
            loops.push_back(split_by_tile(p, path[s], own));
        }
        for (std::size_t which = 0; which <= joined; ++which)
            level(loops, which);
        p.apply(reorder, order);
        order.resize(joined * of.spatial_count);
        outer = std::exchange(order, {});
        p.apply(compute_at, {block, outer.back()});
    }
    loops_of_axes spatial;
    loops_of_axes reduced;
    std::vector<std::uint32_t> const path = loops_around(p.program, {item_kind::block, block});
    for (std::size_t i = 0; i < of.axes.size(); ++i)
        (i < of.spatial_count ? spatial : reduced)
            .push_back(split_by_tile(p, path[outer.size() + i], factors[i]));
    for (std::size_t which = joined; which < 2; ++which)
        level(spatial, which - joined);
    level(reduced, 0);
    level(spatial, 2 - joined);
    level(reduced, 1);
    level(spatial, 3 - joined);
    p.apply(reorder, order);
    if (cached > 0)
        p.apply(cache_write, {block, joined > 0 ? outer.back() : spatial.back()[cached - 1], 0});
    std::int64_t const lanes =
        iterations_of(p.program, static_cast<std::uint32_t>(order.back())).value_or(0);
    if (lanes > 1 && lanes <= most_innermost) p.apply(vectorize, {order.back()});
    // Innermost loops are unrolled while their iterations together stay below the limit.
    std::int64_t copies = std::max<std::int64_t>(lanes, 1);
    for (std::size_t i = order.size() - 1; i-- > order.size() - spatial.size() - reduced.size();) {
        auto const loop = static_cast<std::uint32_t>(order[i]);
        std::int64_t const own = iterations_of(p.program, loop).value_or(limit + 1);
        copies *= own;
        if (copies > limit || own > 64) break;
        if (own > 1) p.apply(unroll, {loop, 0});
    }
    if (joined > 0)
        vectorize_last_axis(part.reader, p);
    else if (part.reader != no_index)
        schedule_plain(part.reader, false, p);
    std::vector<std::int64_t> const& first = joined > 0 ? outer : order;
    for (std::size_t a = 1; a < spatial.size(); ++a)
        p.apply(fuse, {first[0], first[a]});
    p.apply(parallelize, {first[0]});
}

inline void schedule_parts(metaschedule_design::part const& part, schedule_choices const& chosen,
                           traced_program& p)
{
    using enum schedule_action;
    std::uint32_t const block = part.statement;
    nest_statement const of = p.program.nest.statements[block];
    std::vector<std::uint32_t> const path = loops_around(p.program, {item_kind::block, block});
    std::uint32_t const axis = of.axes.back();
    auto const factors = factors_of(chosen, tile_name(p.program.nest, part, axis));
    auto const loops = split_by_tile(p, path.back(), factors);
    p.apply(rfactor,
            {block, part.choice == metaschedule_choice::outer_parts ? loops[0] : loops[1]});
}

/// @param unroll  the parameter that limits copies of tiled statements; empty: one each
/// @param nest    of the program before its first step
inline void schedule_all_parts(std::vector<metaschedule_design::part> const& parts,
                               schedule_choices const& chosen, std::string_view unroll,
                               nest_description const& nest, traced_program& p)
{
    std::vector<bool> const is_placed = schedule_places(nest, placed_parts(parts), chosen, p);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        metaschedule_design::part const& part = parts[i];
        if (is_tiled(part.choice)) {
            std::string const own = part.prefix + "UNROLL";
            schedule_tiled(part, chosen, chosen.number(unroll.empty() ? own : unroll), nest, p);
        } else if (part.choice != metaschedule_choice::plain) {
            schedule_parts(part, chosen, p);
        } else {
            schedule_plain(part.statement, is_placed[i], p);
        }
    }
}

/// The values of DESIGN, in the order of metaschedule_choice.
inline constexpr std::array<char const*, 6> choice_words{
    "plain", "tiled", "tiled_cache1", "tiled_cache2", "outer_parts", "inner_parts"};

[[nodiscard]] inline char const* word_of(metaschedule_choice choice)
{
    return choice_words[static_cast<std::size_t>(choice)];
}

inline void declare_metaschedule(rule_subject const& of, space_builder& space)
{
    nest_description const& nest = *of.nest;
    auto parts = metaschedule_parts(nest, of.statements, of.prefix);
    std::vector<bool> may_be_parts;
    for (metaschedule_design::part& part : parts) {
        auto const choices =
            metaschedule_choices(nest, nest.statements[part.statement], of.processor);
        std::string const design = part.prefix + "DESIGN";
        std::vector<std::string> words;
        for (metaschedule_choice const one : choices)
            words.emplace_back(word_of(one));
        if (words.size() > 1) space.categorical(design, words, words.front());
        if (is_tiled(choices.back())) declare_unroll(space, part.prefix + "UNROLL");
        part.choice = choices.back();
        bool const may_be_plain = choices.front() == metaschedule_choice::plain;
        may_be_parts.push_back(may_be_plain && choices.size() > 1);
        if (part.choice != metaschedule_choice::plain)
            declare_tiles(space, nest, part, may_be_plain ? design : std::string{});
        part.choice = choices.front();
    }
    declare_places(space, nest, placed_parts(parts), may_be_parts);
}

inline void schedule_metaschedule(rule_subject const& of, schedule_choices const& chosen,
                                  traced_program& p)
{
    nest_description const& nest = *of.nest;
    auto parts = metaschedule_parts(nest, of.statements, of.prefix);
    for (metaschedule_design::part& part : parts) {
        auto const choices =
            metaschedule_choices(nest, nest.statements[part.statement], of.processor);
        part.choice = choices.front();
        if (choices.size() == 1) continue;
        std::string const& word = chosen.text(part.prefix + "DESIGN");
        for (metaschedule_choice const one : choices)
            if (word == word_of(one)) part.choice = one;
    }
    schedule_all_parts(parts, chosen, {}, nest, p);
}

} // namespace detail

ATTUNE_INLINE std::vector<schedule_rule> metaschedule_rules()
{
    auto const applies = [](rule_subject const& of) {
        return std::none_of(of.nest->axes.begin(), of.nest->axes.end(),
                            [](nest_axis const& axis) { return axis.extent.input != no_index; });
    };
    return {{"metaschedule", applies, detail::declare_metaschedule, detail::schedule_metaschedule}};
}

ATTUNE_INLINE traced_program metaschedule_design::schedule(schedule_choices const& chosen) const
{
    traced_program p = start;
    detail::schedule_all_parts(parts, chosen, "UNROLL", start.program.nest, p);
    return p;
}

ATTUNE_INLINE traced_program metaschedule_design::schedule(point const& at) const
{
    return schedule(choices_of(space, at));
}

ATTUNE_INLINE std::vector<metaschedule_design>
metaschedule_designs(nest_description const& nest, processor_shape const& processor)
{
    using enum metaschedule_choice;
    for (nest_axis const& axis : nest.axes)
        if (axis.extent.input != no_index)
            throw error("an extent is an input", axis.name, "MetaSchedule's rules need constants");
    metaschedule_design first;
    first.start.program = plain_program(nest);
    detail::inline_cheap(first.start);
    nest_description const& now = first.start.program.nest;
    std::vector<std::vector<metaschedule_design::part>> designs(1);
    std::vector<std::uint32_t> blocks = blocks_inside(first.start.program, no_index);
    std::sort(blocks.begin(), blocks.end());
    for (metaschedule_design::part const& part : detail::metaschedule_parts(now, blocks, {})) {
        std::vector<std::vector<metaschedule_design::part>> more;
        for (auto const& former : designs)
            for (metaschedule_choice const choice :
                 detail::metaschedule_choices(now, now.statements[part.statement], processor)) {
                more.push_back(former);
                more.back().push_back(part);
                more.back().back().choice = choice;
            }
        designs = std::move(more);
    }
    std::vector<metaschedule_design> out;
    for (auto& parts : designs) {
        metaschedule_design design = first;
        design.parts = std::move(parts);
        space_builder space;
        for (metaschedule_design::part const& part : design.parts)
            if (part.choice != plain) detail::declare_tiles(space, now, part);
        if (std::any_of(design.parts.begin(), design.parts.end(),
                        [](auto const& part) { return detail::is_tiled(part.choice); }))
            detail::declare_unroll(space, "UNROLL");
        detail::declare_places(space, now, detail::placed_parts(design.parts),
                               std::vector<bool>(design.parts.size(), false));
        design.space = space.made();
        design.space.row_names = program_feature_names();
        auto const of = std::make_shared<metaschedule_design const>(design);
        design.space.rows = [of, processor](description const& in, std::span<coordinate const> at) {
            return features_of(of->schedule(choices_of(in, at)).program, processor);
        };
        design.space.structure = [of](description const& in, std::span<coordinate const> at) {
            return structure_of(of->schedule(choices_of(in, at)).program);
        };
        out.push_back(std::move(design));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
