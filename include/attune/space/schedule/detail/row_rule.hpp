// attune/space/schedule/detail/row_rule.hpp - cuts a graph of statements into groups; statements that share their outer loops; single statements.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if each statement of a group reads the arrays of the others only at its own place
/// along the first `count` axes.
inline bool reads_own_rows(rule_subject const& subject, std::vector<std::uint32_t> const& axes,
                           std::size_t count)
{
    nest_description const& nest = *subject.nest;
    auto const is_shared = [&](affine_term const& term) {
        return std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count),
                         term.axis) != axes.begin() + static_cast<std::ptrdiff_t>(count);
    };
    for (std::uint32_t const producer : subject.statements)
        for (std::uint32_t const s : subject.statements)
            for (std::uint32_t const a : accesses_of(nest, nest.statements[s])) {
                nest_access const& access = nest.accesses[a];
                if (access.array != nest.statements[producer].target.array) continue;
                for (std::size_t d = 0; d < access.at.size(); ++d) {
                    affine_index const& index = access.at[d];
                    if (d < count ? index != affine_index{{{axes[d], 1}}, 0}
                                  : std::any_of(index.terms.begin(), index.terms.end(), is_shared))
                        return false;
                }
            }
    return true;
}

/// The leading axes that all statements of a group share, and along which reads_own_rows() is true.
inline std::vector<std::uint32_t> shared_axes(rule_subject const& subject)
{
    nest_description const& nest = *subject.nest;
    nest_statement const& last = nest.statements[subject.statements.back()];
    std::size_t count = last.spatial_count;
    for (std::uint32_t const s : subject.statements) {
        nest_statement const& of = nest.statements[s];
        std::size_t same = 0;
        while (same < count && same < of.spatial_count && of.axes[same] == last.axes[same])
            ++same;
        count = same;
    }
    while (count > 0 && !reads_own_rows(subject, last.axes, count))
        --count;
    // A single statement keeps its last axis for lanes.
    bool const is_single = subject.statements.size() == 1;
    if (is_single && count == last.axes.size() && count > 0) --count;
    return {last.axes.begin(), last.axes.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The axis of a statement's lanes, inside the shared ones; no_index: none.
inline std::uint32_t lane_axis(nest_description const& nest, nest_statement const& of,
                               std::size_t shared)
{
    bool const is_argument = of.combine == reduction::argument_of_maximum;
    // The last axis of the target, or of a sum if the target has no other axis.
    if (of.spatial_count > shared) {
        bool const reduces = of.axes.size() > of.spatial_count;
        return reduces || is_argument ? no_index : of.axes[of.spatial_count - 1];
    }
    if (of.axes.size() == of.spatial_count || is_argument) return no_index;
    std::uint32_t const axis = of.axes.back();
    auto const extent = known_extent(nest, axis);
    return extent && *extent < 2 ? no_index : axis;
}

/// Returns true if a statement writes, once and in whole lanes, a result that no statement reads
/// and that is larger than the last cache.
inline bool is_for_memory(rule_subject const& subject, std::uint32_t s)
{
    nest_description const& nest = *subject.nest;
    nest_statement const& of = nest.statements[s];
    nest_array const& target =
        (subject.whole != nullptr ? *subject.whole : nest).arrays[of.target.array];
    std::uint32_t const lanes = lane_axis(nest, of, shared_axes(subject).size());
    if (of.combine != reduction::none || target.role != nest_role::written || lanes == no_index ||
        of.target.at.back() != affine_index{{{lanes, 1}}, 0})
        return false;
    double bytes = static_cast<double>(element_bytes(target.element));
    for (nest_extent const& extent : target.extents)
        bytes *= extent.input == no_index ? static_cast<double>(extent.constant) : 0;
    return bytes > static_cast<double>(subject.processor.l3_bytes) &&
           std::none_of(nest.accesses.begin(), nest.accesses.end(),
                        [&](nest_access const& read) { return read.array == of.target.array; });
}

/// Returns true for statements that share rows. Refuses products: in rows, a product has no
/// register tile, and is far slower than alone.
inline bool rows_apply(rule_subject const& subject)
{
    if (subject.statements.size() == 1) return true;
    return !shared_axes(subject).empty() &&
           std::none_of(subject.statements.begin(), subject.statements.end(), [&](std::uint32_t s) {
               return is_tiled_product(*subject.nest, s, subject.processor);
           });
}

/// Computes all statements in the loop of the last one over their rows.
/// @pre     more than one statement, shared axes
/// Errors   attune::error: a statement cannot be moved there
inline void fuse_rows(rule_subject const& subject, traced_program& p)
{
    std::vector<std::uint32_t> const path =
        loops_around(p.program, {item_kind::block, subject.statements.back()});
    std::uint32_t const row = path[shared_axes(subject).size() - 1];
    for (std::size_t i = subject.statements.size() - 1; i-- > 0;)
        p.apply(schedule_action::compute_at, {subject.statements[i], row});
}

inline void declare_rows(rule_subject const& subject, space_builder& space)
{
    nest_description const& nest = *subject.nest;
    std::int64_t bytes = 1;
    std::int64_t longest = 1;
    for (std::uint32_t const s : subject.statements) {
        nest_statement const& of = nest.statements[s];
        element_type const type = nest.arrays[of.target.array].element;
        bytes = std::max(bytes, static_cast<std::int64_t>(element_bytes(type)));
        std::uint32_t const axis = lane_axis(nest, of, shared_axes(subject).size());
        if (axis != no_index)
            longest = std::max(longest, known_extent(nest, axis).value_or(1 << 20));
    }
    std::int64_t const width = std::max<std::int64_t>(subject.processor.vector_bytes / bytes, 2);
    std::vector<std::int64_t> lanes{1};
    for (std::int64_t const wide : {width / 2, width, 2 * width, 4 * width})
        if (wide > 1 && wide < 2 * longest && wide <= 256) lanes.push_back(wide);
    std::int64_t preferred = 1;
    for (std::int64_t const wide : lanes)
        if (wide <= width) preferred = wide;
    std::string const& p = subject.prefix;
    space.ordinal(p + "LANES", lanes, preferred);
    space.ordinal(p + "UNROLL", {1, 2, 4, 8}, 1);
    if (subject.processor.cores > 1) space.categorical(p + "THREADS", {"outer", "one"}, "outer");
    if (lanes.size() > 1 &&
        std::any_of(subject.statements.begin(), subject.statements.end(),
                    [&](std::uint32_t s) { return is_for_memory(subject, s); })) {
        space.categorical(p + "STORES", {"cached", "streamed"}, "streamed");
        space.active_if(p + "STORES",
                        space.node(op::less, space.number(1), space.value(p + "LANES")));
    }
    space.feature(space.node(op::multiply, space.value(p + "LANES"), space.value(p + "UNROLL")));
}

inline void schedule_rows(rule_subject const& subject, schedule_choices const& chosen,
                          traced_program& p)
{
    using enum schedule_action;
    std::string const& prefix = subject.prefix;
    nest_description const& nest = *subject.nest;
    std::vector<std::uint32_t> const shared = shared_axes(subject);
    std::uint32_t const last = subject.statements.back();
    std::vector<std::uint32_t> const path = loops_around(p.program, {item_kind::block, last});
    if (subject.statements.size() > 1) fuse_rows(subject, p);
    std::int64_t const lanes = chosen.number(prefix + "LANES");
    std::int64_t const copies = chosen.number(prefix + "UNROLL");
    for (std::uint32_t const s : subject.statements) {
        std::uint32_t const axis = lane_axis(nest, nest.statements[s], shared.size());
        std::vector<std::uint32_t> const around = loops_around(p.program, {item_kind::block, s});
        if (axis == no_index || around.empty()) continue;
        std::uint32_t const loop = around.back();
        if (p.program.loops[loop].over.front().axis != axis) continue;
        if (lanes > 1) {
            std::uint32_t const inner = p.apply(split, {loop, lanes});
            p.apply(vectorize, {inner});
        }
        if (copies > 1 && p.program.loops[loop].kind == loop_kind::serial)
            p.apply(unroll, {loop, copies});
        if (lanes > 1 && is_for_memory(subject, s) && chosen.text(prefix + "STORES") == "streamed")
            p.apply(stream, {s});
    }
    if (subject.processor.cores > 1 && !shared.empty() &&
        chosen.text(prefix + "THREADS") == "outer")
        for (std::size_t l = 0; l < shared.size(); ++l) {
            if (known_extent(nest, shared[l]) == 1) continue; // an axis of slices
            p.apply(parallelize, {path[l]});
            break;
        }
}

inline constexpr std::string_view row_rule_name = "rows";

[[nodiscard]] inline schedule_rule row_rule()
{
    return {std::string(row_rule_name), rows_apply, declare_rows, schedule_rows};
}

using statement_group = std::vector<std::uint32_t>;

/// Cuts the statements of a program into groups. Statements that pass temporaries to each other are
/// one group if a rule applies to all of them. Otherwise each product is a group, with the
/// statement that reads it element by element, and statements between products form rows as far as
/// a rule applies to them. Temporaries then pass from group to group in memory.
class group_cutter {
public:
    /// @param rule_of  returns the name of the rule for these statements together; empty: none
    group_cutter(loop_program const& program, processor_shape const& processor,
                 std::function<std::string_view(statement_group const&)> rule_of)
        : program_(program)
        , processor_(processor)
        , rule_of_(std::move(rule_of))
        , all_(blocks_inside(program, no_index))
    {
        std::sort(all_.begin(), all_.end());
    }

    [[nodiscard]] std::vector<statement_group> groups() const
    {
        std::vector<statement_group> out;
        for (statement_group const& connected : connected_statements()) {
            if (has_rule(connected)) {
                out.push_back(connected);
                continue;
            }
            std::vector<statement_group> cut = parts_of(connected);
            out.insert(out.end(), cut.begin(), cut.end());
        }
        return out;
    }

private:
    [[nodiscard]] nest_description const& nest() const { return program_.nest; }
    [[nodiscard]] bool has_rule(statement_group const& group) const
    {
        std::string_view const rule = rule_of_(group);
        return !rule.empty() && (rule != row_rule_name || group.size() < 2 || are_rows(group));
    }
    [[nodiscard]] std::uint32_t target_of(std::uint32_t s) const
    {
        return nest().statements[s].target.array;
    }
    [[nodiscard]] bool feeds(statement_group const& from, std::uint32_t to) const
    {
        return std::any_of(from.begin(), from.end(), [&](std::uint32_t s) {
            return nest().arrays[target_of(s)].role == nest_role::temporary &&
                   reads_array(nest(), nest().statements[to], target_of(s));
        });
    }

    /// The groups of statements that temporaries connect. A group ends at the first statement whose
    /// array is an argument.
    [[nodiscard]] std::vector<statement_group> connected_statements() const
    {
        std::vector<statement_group> out;
        for (std::uint32_t const s : all_) {
            statement_group joined{s};
            for (std::size_t g = out.size(); g-- > 0;) {
                if (!feeds(out[g], s)) continue;
                joined.insert(joined.begin(), out[g].begin(), out[g].end());
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(g));
            }
            std::sort(joined.begin(), joined.end());
            out.push_back(std::move(joined));
        }
        return out;
    }

    /// Returns true if no statement outside the group reads one of its arrays before its end.
    [[nodiscard]] bool may_run_at_its_end(statement_group const& group) const
    {
        for (std::uint32_t const reader : all_) {
            if (reader > group.back() ||
                std::find(group.begin(), group.end(), reader) != group.end())
                continue;
            if (feeds(group, reader)) return false;
        }
        return true;
    }
    [[nodiscard]] bool is_product(std::uint32_t s) const
    {
        return is_tiled_product(nest(), s, processor_);
    }

    [[nodiscard]] std::vector<statement_group> parts_of(statement_group const& connected) const
    {
        std::vector<statement_group> out;
        for (std::uint32_t const s : connected) {
            if (is_product(s)) {
                out.push_back({s});
                continue;
            }
            if (!joins_product(s, out) && !joins_rows(s, out)) out.push_back({s});
        }
        std::sort(out.begin(), out.end(), [](statement_group const& a, statement_group const& b) {
            return a.back() < b.back();
        });
        return out;
    }

    /// Adds `s` to the last product that `s` alone reads, element by element.
    /// @return  false if there is no such product
    [[nodiscard]] bool joins_product(std::uint32_t s, std::vector<statement_group>& parts) const
    {
        for (std::size_t g = parts.size(); g-- > 0;) {
            if (parts[g].size() != 1 || !is_product(parts[g].front()) || !feeds(parts[g], s))
                continue;
            statement_group joined{parts[g].front(), s};
            bool const is_only = std::count_if(all_.begin(), all_.end(), [&](std::uint32_t reader) {
                                     return feeds(parts[g], reader);
                                 }) == 1;
            if (!is_only || !has_rule(joined)) continue;
            parts[g] = std::move(joined);
            return true;
        }
        return false;
    }

    /// Joins `s` with rows that pass temporaries to it: with all of them if possible, else with the
    /// last ones.
    /// @return  false if `s` joins no rows
    [[nodiscard]] bool joins_rows(std::uint32_t s, std::vector<statement_group>& parts) const
    {
        statement_group joined{s};
        std::vector<std::size_t> taken;
        for (std::size_t g = parts.size(); g-- > 0;) {
            if (is_product(parts[g].front()) || !feeds(parts[g], s)) continue;
            statement_group wider = joined;
            wider.insert(wider.end(), parts[g].begin(), parts[g].end());
            std::sort(wider.begin(), wider.end());
            if (!may_run_at_its_end(wider) || !has_rule(wider)) continue;
            joined = std::move(wider);
            taken.push_back(g);
        }
        if (taken.empty()) return false;
        for (std::size_t const g : taken) // descending
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(g));
        parts.push_back(std::move(joined));
        return true;
    }

    /// Returns true if the statements can be computed in one loop over their rows.
    [[nodiscard]] bool are_rows(statement_group const& group) const
    {
        rule_subject const subject{&program_.nest, group, processor_, {}};
        if (shared_axes(subject).empty()) return false;
        traced_program tried{program_, {}};
        try {
            fuse_rows(subject, tried);
        } catch (error const&) {
            return false;
        }
        return true;
    }

    loop_program const& program_;
    processor_shape processor_;
    std::function<std::string_view(statement_group const&)> rule_of_;
    std::vector<std::uint32_t> all_; ///< blocks, which have the numbers of their statements
};

} // namespace attune::inline ATTUNE_ABI::detail
