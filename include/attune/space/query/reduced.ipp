// attune/space/query/reduced.ipp - cuts tables to the values in trees, and counts constraints alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/nearest.hpp>
#include <attune/space/query/reduced.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/walk.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Indices of a table that stay, ascending.
struct kept_values {
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> listed{}; ///< empty: first, first + stride, ...

    [[nodiscard]] bool is_progression() const noexcept { return listed.empty(); }
    [[nodiscard]] std::uint32_t operator[](std::uint32_t i) const
    {
        return is_progression() ? first + stride * i : listed[i];
    }
};

/// @pre  some value is used
[[nodiscard]] inline kept_values kept_of(std::vector<bool> const& used)
{
    auto const next = [&](std::size_t from) {
        return static_cast<std::uint32_t>(
            std::find(used.begin() + static_cast<std::ptrdiff_t>(from), used.end(), true) -
            used.begin());
    };
    kept_values out;
    out.first = next(0);
    bool is_even = true;
    std::uint32_t last = out.first;
    for (std::uint32_t at = out.first; at < used.size(); at = next(at + std::size_t{1})) {
        if (out.count == 1) out.stride = at - last;
        is_even = is_even && (out.count == 0 || at - last == out.stride);
        last = at;
        ++out.count;
    }
    if (is_even) return out;
    out.listed.reserve(out.count);
    for (std::uint32_t at = out.first; at < used.size(); at = next(at + std::size_t{1}))
        out.listed.push_back(at);
    return out;
}

/// Marks the values that parameters have in some leaf of `t`.
/// @param used  per parameter of the space one entry per value
inline void mark_values(tree const& t, std::vector<std::vector<bool>>& used)
{
    if (is_free(t)) {
        std::vector<bool>& all = used[t.parameters().front()];
        if (t.leaves() == all.size())
            all.assign(all.size(), true);
        else
            for (std::uint32_t leaf = 0; leaf < t.leaves(); ++leaf)
                all[t.run_value(leaf)] = true;
        return;
    }
    std::vector<std::size_t> const level = levels_of(t);
    for (std::uint32_t node = 0; node < level.size(); ++node) {
        if (level[node] == t.parameters().size()) continue;
        std::vector<bool>& of_level = used[t.parameters()[level[node]]];
        for (std::uint32_t const value : t.values(node))
            of_level[value] = true;
    }
}

/// Per parameter and value, whether a valid configuration has it; empty for parameters in no tree.
[[nodiscard]] inline std::vector<std::vector<bool>> used_values(chain_of_trees const& space)
{
    std::vector<parameter_description> const& all = space.describe().parameters;
    std::vector<std::vector<bool>> used(all.size());
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        for (std::uint32_t const p : space.tree_at(t).parameters())
            used[p].assign(all[p].value_count(), false);
        mark_values(space.tree_at(t), used);
    }
    // No tree has what settles a parameter by a real one.
    for (condition const& c : conditions_of(space.describe())) {
        std::uint32_t const p = space.describe().constraints[c.source].settles;
        if (c.reads_real && p != no_index && !used[p].empty())
            used[p][all[p].active.otherwise.index] = true;
    }
    return used;
}

/// Cuts the tables of a description.
class table_cutter {
public:
    table_cutter(description const& from, std::vector<std::vector<bool>> used)
        : used_(std::move(used))
        , kept_(from.parameters.size())
    {
        out_.space = from;
        for (named_value const& v : named_values(from))
            cut(v, from);
        if (!out_.cuts.empty() && from.expected) map_expectation(from);
    }

    [[nodiscard]] reduced_space take() { return std::move(out_); }

private:
    void cut(named_value const& v, description const& from)
    {
        std::vector<bool> used = used_[v.first];
        if (used.empty() || v.is_long_order()) return;
        for (std::uint32_t i = v.first + 1; i < v.first + v.count; ++i) {
            if (used_[i].size() != used.size()) return; // an element in no tree
            std::transform(
                used.begin(), used.end(), used_[i].begin(), used.begin(), std::logical_or<>());
        }
        auto const stay = std::count(used.begin(), used.end(), true);
        if (static_cast<std::size_t>(stay) == used.size()) return;
        parameter_description const& p = from.parameters[v.first];
        kept_values const kept = kept_of(used);
        std::size_t const most = detail::max_table_values / v.count;
        std::string reason = why_whole(from, v);
        if (reason.empty() && !can_be_table(p, kept, most))
            reason = "a table of these would be too long";
        if (!reason.empty()) {
            out_.notes.push_back(std::string(v.name) + " keeps all " + std::to_string(used.size()) +
                                 " values, of which " + std::to_string(stay) +
                                 " are valid: " + reason);
            return;
        }
        for (std::uint32_t i = v.first; i < v.first + v.count; ++i) {
            cut_table(out_.space.parameters[i], kept, most);
            kept_[i] = kept;
        }
        out_.cuts.push_back({std::string(v.name), p.value_count(), kept.count});
    }

    [[nodiscard]] static std::string why_whole(description const& from, named_value const& v)
    {
        kind_traits const& is = from.parameters[v.first].traits();
        if (is.is_truth) return "a boolean has two";
        if (is.is_order) return "a permutation has every order";
        if (is.is_factors) return "a tile has every factorisation";
        return from.selector_at(v.first) != nullptr ? "it counts the ranges of a selector" : "";
    }

    /// Whether what is left of a range is a range.
    [[nodiscard]] static bool is_range_left(parameter_description const& p, kept_values const& kept)
    {
        std::int64_t step = 0;
        if (p.rule.bound_node == no_index || !kept.is_progression()) return false;
        if (p.rule.steps == progression::doubling) return kept.stride == 1;
        return p.rule.steps == progression::linear &&
               !__builtin_mul_overflow(p.rule.step, std::int64_t{kept.stride}, &step);
    }
    [[nodiscard]] static bool
    can_be_table(parameter_description const& p, kept_values const& kept, std::size_t most)
    {
        return kept.count <= most || is_range_left(p, kept);
    }

    /// @pre  can_be_table(p, kept, most)
    void cut_table(parameter_description& p, kept_values const& kept, std::size_t most)
    {
        parameter_description now = p;
        now.integers.clear();
        now.reals.clear();
        now.labels.clear();
        now.range_count = 0;
        now.prior.weights.clear();
        if (is_range_left(p, kept)) {
            now.rule.first = p.integer_at(kept[0]);
            now.rule.step = p.rule.step * kept.stride;
            now.rule.bound_node = intern_node(
                out_.space, {.code = op::integer, .integer = p.integer_at(kept[kept.count - 1])});
            if (kept.count > most) now.range_count = kept.count;
        } else if (p.rule.bound_node != no_index) {
            if (p.rule.steps == progression::doubling) now.on = scale::log; // as such a range has
            now.rule = {};
        }
        for (std::uint32_t i = 0; i < kept.count && now.range_count == 0; ++i) {
            if (!p.labels.empty())
                now.labels.push_back(p.labels[kept[i]]);
            else if (!p.reals.empty())
                now.reals.push_back(p.reals[kept[i]]);
            else
                now.integers.push_back(p.integer_at(kept[i]));
        }
        for (std::uint32_t i = 0; i < kept.count && !p.prior.weights.empty(); ++i)
            now.prior.weights.push_back(p.prior.weights[kept[i]]);
        p = std::move(now);
    }

    /// The expectation reads coordinates of the original tables.
    void map_expectation(description const& from)
    {
        out_.space.expected = [first = from.expected,
                               kept = kept_](std::span<coordinate const> at) {
            point original(at.begin(), at.end());
            for (std::size_t i = 0; i < original.size(); ++i)
                if (kept[i]) original[i].index = (*kept[i])[original[i].index];
            return first(original);
        };
    }

    std::vector<std::vector<bool>> used_;
    std::vector<std::optional<kept_values>> kept_; // nothing: the whole table
    reduced_space out_;
};

/// The default configuration; a parameter without a default stands at its first value, or at the
/// middle of its interval.
[[nodiscard]] inline point defaults_of(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters)
        out.push_back(default_of(p));
    return space.settled(std::move(out));
}

/// Moves defaults of `out` that are gone or, together, not valid.
/// @param from  the space that was reduced
inline void move_defaults(chain_of_trees const& from, reduced_space& out)
{
    std::vector<parameter_description> const& before = from.describe().parameters;
    std::vector<parameter_description>& now = out.space.parameters;
    std::vector<bool> is_lost;
    bool has_all = true, has_lost = false;
    for (std::size_t i = 0; i < now.size(); ++i) {
        is_lost.push_back(now[i].default_text && !coordinate_of(now[i], *now[i].default_text));
        has_all = has_all && now[i].default_text;
        has_lost = has_lost || is_lost[i];
    }
    point const standard = defaults_of(from);
    bool const is_broken = has_all && !from.contains(standard);
    if (!has_lost && !is_broken) return;
    std::vector<point> const near =
        from.is_exact() ? nearest_valid(from, standard, {.count = 1}) : std::vector<point>{};
    auto const text_of_default = [](description const& d, named_value const& v) {
        return default_text_of(d, v).value_or("none");
    };
    description const old = out.space; // with the defaults of before
    point moved = standard;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (!is_lost[i] && (!is_broken || now[i].is_conditional())) continue;
        if (!near.empty())
            moved[i] = near.front()[i];
        else if (is_lost[i])
            moved[i] = *coordinate_of(before[i], text_of(now[i], {}));
        now[i].default_text = text_of(before[i], moved[i]);
    }
    bool const is_dropped = is_broken && !from.contains(from.settled(moved));
    for (std::size_t i = 0; is_dropped && i < now.size(); ++i)
        if (!now[i].is_conditional()) now[i].default_text.reset();
    for (named_value const& v : named_values(out.space)) {
        std::string const was = text_of_default(old, v), is = text_of_default(out.space, v);
        if (was != is)
            out.notes.push_back("the default of " + std::string(v.name) + " was " + was +
                                (is == "none" ? ", now it has none" : ", now it is " + is));
    }
}

/// The number of configurations with one of the user's constraints, or without any; nothing if a
/// tree is too wide.
[[nodiscard]] inline std::optional<exact_integer> count_with_one(description space,
                                                                 std::uint32_t constraint)
{
    std::vector<constraint_description> kept;
    for (std::uint32_t c = 0; c < space.constraints.size(); ++c)
        if (c == constraint || space.constraints[c].settles != no_index)
            kept.push_back(std::move(space.constraints[c]));
    space.constraints = std::move(kept);
    build_options options;
    options.max_visits = 1'000'000;
    options.wide = when_wide::refuse;
    try {
        return exact_size(chain_of_trees(std::move(space), options));
    } catch (error const&) {
        return {};
    }
}

/// Where a parameter counts in every valid configuration and its one value is gone, another value
/// would be valid where it does not count: what decides that becomes a constraint.
/// @param from  the space that was reduced
inline void require_lost_conditions(description const& from, reduced_space& out)
{
    for (std::size_t i = 0; i < from.parameters.size(); ++i) {
        activity_description const& active = from.parameters[i].active;
        if (active.root == no_index || from.parameters[i].traits().is_interval) continue;
        if (coordinate_of(out.space.parameters[i], text_of(from.parameters[i], active.otherwise)))
            continue;
        out.space.constraints.push_back({.root = active.counts,
                                         .scope = parameters_read(out.space, active.counts),
                                         .test = {},
                                         .text = active.text});
    }
}

/// Drops constraints that every combination of values fulfils.
/// @param reported  so many of them, the user's, are told of
inline void drop_fulfilled(reduce_options const& options, std::size_t reported, reduced_space& out)
{
    std::vector<std::uint32_t> open;
    for (condition const& c : conditions_of(out.space)) {
        constraint_description const& whole = out.space.constraints[c.source];
        if (whole.settles != no_index || whole.test) continue;
        if (open.empty() || open.back() != c.source) open.push_back(c.source);
    }
    for (condition const& c : conditions_of(out.space))
        if (c.reads_real) std::erase(open, c.source);
    if (open.empty()) return;
    std::optional<exact_integer> const all = count_with_one(out.space, no_index);
    if (!all) return;
    std::vector<bool> is_dropped(out.space.constraints.size(), false);
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (options.go_on && !options.go_on(i, open.size())) break;
        is_dropped[open[i]] = count_with_one(out.space, open[i]) == all;
    }
    std::vector<constraint_description> kept;
    for (std::uint32_t c = 0; c < is_dropped.size(); ++c) {
        if (!is_dropped[c])
            kept.push_back(std::move(out.space.constraints[c]));
        else if (c < reported)
            out.dropped.push_back(constraint_text(out.space, c));
    }
    out.space.constraints = std::move(kept);
}

} // namespace detail

ATTUNE_INLINE reduced_space reduced(chain_of_trees const& space, reduce_options const& options)
{
    detail::table_cutter cutter(space.describe(), detail::used_values(space));
    reduced_space out = cutter.take();
    detail::require_lost_conditions(space.describe(), out);
    detail::move_defaults(space, out);
    detail::settle_conditions(out.space);
    detail::drop_fulfilled(options, space.describe().constraints.size(), out);
    for (std::size_t w = 0; w < space.wide_count(); ++w)
        for (std::uint32_t const p : space.wide_at(w).parameters())
            out.notes.push_back(
                out.space.parameters[p].name +
                " keeps all values: the tree that would tell which are valid is too "
                "wide to be built");
    return out;
}

} // namespace attune::inline ATTUNE_ABI
