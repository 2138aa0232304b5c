// attune/space/query/reduced.ipp - cuts tables to the values in trees, and counts constraints alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/reduced.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Consecutive indices of a table.
struct index_run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    [[nodiscard]] std::uint32_t end() const noexcept { return first + count; }
};

/// Indices of a table as runs of 8 bytes each, so a long run costs no more than a short one.
class index_set {
public:
    void add(index_run more)
    {
        if (!runs_.empty() && runs_.back().end() == more.first) {
            runs_.back().count += more.count;
            return;
        }
        runs_.push_back(more);
        if (runs_.size() < join_at_) return;
        join();
        join_at_ = 2 * runs_.size() + 1024;
    }
    void add(index_set const& more)
    {
        for (index_run const& run : more.runs_)
            add(run);
    }
    /// Makes the runs ascending, with a gap between any two.
    void join()
    {
        std::sort(runs_.begin(), runs_.end(),
                  [](index_run const& a, index_run const& b) { return a.first < b.first; });
        std::vector<index_run> joined;
        for (index_run const& run : runs_)
            if (!joined.empty() && run.first <= joined.back().end())
                joined.back().count =
                    std::max(joined.back().end(), run.end()) - joined.back().first;
            else
                joined.push_back(run);
        runs_ = std::move(joined);
    }

    [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
    /// @pre  join() has been called since the last add()
    [[nodiscard]] std::vector<index_run> const& runs() const noexcept { return runs_; }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        std::uint32_t out = 0;
        for (index_run const& run : runs_)
            out += run.count;
        return out;
    }

private:
    std::vector<index_run> runs_;
    std::size_t join_at_ = 1024;
};

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
    [[nodiscard]] bool contains(std::uint32_t index) const
    {
        if (!is_progression()) return std::binary_search(listed.begin(), listed.end(), index);
        return index >= first && (index - first) % stride == 0 && (index - first) / stride < count;
    }
};

/// The indices of `used`; nothing for more than `most` indices that are no progression.
/// @pre  `used` is not empty, and joined
[[nodiscard]] inline std::optional<kept_values> kept_of(index_set const& used, std::size_t most)
{
    std::vector<index_run> const& runs = used.runs();
    kept_values out{.first = runs.front().first, .count = used.size()};
    if (runs.size() == 1) return out;
    out.stride = runs[1].first - runs[0].first;
    bool is_even = runs.front().count == 1;
    for (std::size_t i = 1; i < runs.size() && is_even; ++i)
        is_even = runs[i].count == 1 && runs[i].first - runs[i - 1].first == out.stride;
    if (is_even) return out;
    if (out.count > most) return {};
    out.listed.reserve(out.count);
    for (index_run const& run : runs)
        for (std::uint32_t i = run.first; i < run.end(); ++i)
            out.listed.push_back(i);
    return out;
}

/// Adds the values of parameters in the leaves of `t`.
/// @param used  one set per parameter of the space
inline void add_values(tree const& t, std::vector<index_set>& used)
{
    if (is_free(t)) {
        std::span<value_run const> const runs = t.runs();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            auto const end =
                i + 1 < runs.size() ? runs[i + 1].before : static_cast<std::uint32_t>(t.leaves());
            used[t.parameters().front()].add({runs[i].first, end - runs[i].before});
        }
        return;
    }
    std::vector<std::size_t> const level = levels_of(t);
    for (std::uint32_t node = 0; node < level.size(); ++node) {
        if (level[node] == t.parameters().size()) continue;
        index_set& of_level = used[t.parameters()[level[node]]];
        for (std::uint32_t const value : t.values(node))
            of_level.add({value, 1});
    }
}

/// The values of each parameter in valid configurations; empty for parameters in no tree.
[[nodiscard]] inline std::vector<index_set> used_values(chain_of_trees const& space)
{
    std::vector<parameter_description> const& all = space.describe().parameters;
    std::vector<index_set> used(all.size());
    for (std::size_t t = 0; t < space.tree_count(); ++t)
        add_values(space.tree_at(t), used);
    // Trees lack the inactive value of a parameter whose condition reads a real parameter.
    for (condition const& c : conditions_of(space.describe())) {
        std::uint32_t const p = space.describe().constraints[c.source].settles;
        if (c.reads_real && p != no_index && !used[p].empty())
            used[p].add({all[p].active.otherwise.index, 1});
    }
    for (index_set& of_parameter : used)
        of_parameter.join();
    return used;
}

/// Kept values by parameter; nothing: the whole table.
using kept_tables = std::vector<std::optional<kept_values>>;

/// Cuts the tables of a description.
class table_cutter {
public:
    table_cutter(description const& from, std::vector<index_set> used)
        : used_(std::move(used))
        , kept_(from.parameters.size())
    {
        out_.space = from;
        for (named_value const& v : named_values(from))
            cut(v, from);
        if (!out_.cuts.empty()) map_functions(from);
    }

    [[nodiscard]] reduced_space take() { return std::move(out_); }

    /// Returns true if the value at an index of the original table remains.
    [[nodiscard]] bool has(std::size_t parameter, std::uint32_t index) const
    {
        return !kept_[parameter] || kept_[parameter]->contains(index);
    }
    /// The index in the original table of the first remaining value.
    [[nodiscard]] std::uint32_t first_left(std::size_t parameter) const
    {
        return kept_[parameter] ? (*kept_[parameter])[0] : 0;
    }

private:
    void cut(named_value const& v, description const& from)
    {
        if (v.is_long_order()) return;
        for (std::uint32_t i = v.first; i < v.first + v.count; ++i)
            if (used_[i].empty()) return; // in no tree
        index_set used = std::move(used_[v.first]);
        for (std::uint32_t i = v.first + 1; i < v.first + v.count; ++i)
            used.add(used_[i]);
        used.join();
        parameter_description const& p = from.parameters[v.first];
        if (used.size() == p.value_count()) return;
        std::size_t const most = max_table_values / v.count;
        std::optional<kept_values> const kept = kept_of(used, most);
        std::string reason = why_whole(from, v);
        if (reason.empty() && !(kept && can_be_table(p, *kept, most)))
            reason = "a table of these would be too long";
        if (!reason.empty()) {
            out_.notes.push_back(std::string(v.name) + " keeps all " +
                                 std::to_string(p.value_count()) + " values, of which " +
                                 std::to_string(used.size()) + " are valid: " + reason);
            return;
        }
        for (std::uint32_t i = v.first; i < v.first + v.count; ++i) {
            cut_table(out_.space.parameters[i], *kept, most);
            kept_[i] = kept;
        }
        out_.cuts.push_back({std::string(v.name), p.value_count(), kept->count});
    }

    [[nodiscard]] static std::string why_whole(description const& from, named_value const& v)
    {
        kind_traits const& is = from.parameters[v.first].traits();
        if (is.is_order) return "a permutation has every order";
        if (is.is_factors) return "a tile has every factorisation";
        return from.selector_at(v.first) != nullptr ? "it counts the ranges of a selector" : "";
    }

    /// Returns true if the remaining values of a range are a range.
    [[nodiscard]] static bool is_range_left(parameter_description const& p, kept_values const& kept)
    {
        std::int64_t step = 0;
        if (p.rule.bound_node == no_index || !kept.is_progression()) return false;
        if (p.rule.steps == progression::doubling) return kept.stride == 1;
        return p.rule.steps == progression::linear &&
               !__builtin_mul_overflow(p.rule.step, std::int64_t{kept.stride}, &step);
    }
    [[nodiscard]] static bool can_be_table(parameter_description const& p, kept_values const& kept,
                                           std::size_t most)
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
            if (p.rule.steps == progression::doubling) now.on = scale::log; // as a doubling range
            now.rule = {};
        }
        for (std::uint32_t i = 0; i < kept.count && now.range_count == 0; ++i) {
            if (!p.labels.empty())
                now.labels.push_back(p.labels[kept[i]]);
            else if (!p.reals.empty())
                now.reals.push_back(p.reals[kept[i]]);
            else
                now.integers.push_back(number_at(p, {kept[i], 0}).integer);
        }
        for (std::uint32_t i = 0; i < kept.count && !p.prior.weights.empty(); ++i)
            now.prior.weights.push_back(p.prior.weights[kept[i]]);
        p = std::move(now);
    }

    /// Makes functions read coordinates of the original tables.
    void map_functions(description const& from)
    {
        auto const original = std::make_shared<description const>(from);
        auto const kept = std::make_shared<kept_tables const>(kept_);
        for (constraint_description& c : out_.space.constraints)
            if (c.test)
                c.test = [original, kept, first = c.test,
                          scope = c.scope](description const&, std::span<coordinate const> at) {
                    point before(at.begin(), at.end());
                    for (std::size_t k = 0; k < before.size(); ++k)
                        map_back((*kept)[scope[k]], before[k]);
                    return first(*original, before);
                };
        if (!from.expected) return;
        out_.space.expected = [first = from.expected, kept](std::span<coordinate const> at) {
            point before(at.begin(), at.end());
            for (std::size_t i = 0; i < before.size(); ++i)
                map_back((*kept)[i], before[i]);
            return first(before);
        };
    }
    static void map_back(std::optional<kept_values> const& kept, coordinate& at)
    {
        if (kept) at.index = (*kept)[at.index];
    }

    std::vector<index_set> used_;
    kept_tables kept_;
    reduced_space out_;
};

/// The default configuration; a parameter without a default has its first value, or the middle of
/// its interval.
[[nodiscard]] inline point defaults_of(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters)
        out.push_back(default_of(p));
    return space.settled(std::move(out));
}

/// Changes defaults of `out` that were removed or are not valid together.
/// @param from   the space that was reduced
/// @param tables  the remaining values of its tables
inline void move_defaults(chain_of_trees const& from, table_cutter const& tables,
                          reduced_space& out)
{
    std::vector<parameter_description> const& before = from.describe().parameters;
    std::vector<parameter_description>& now = out.space.parameters;
    std::vector<bool> is_lost;
    bool has_all = true, has_lost = false;
    for (std::size_t i = 0; i < now.size(); ++i) {
        is_lost.push_back(now[i].default_text && !tables.has(i, default_of(before[i]).index));
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
    description const old = out.space; // with the old defaults
    point moved = standard;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (!is_lost[i] && (!is_broken || now[i].is_conditional())) continue;
        if (!near.empty())
            moved[i] = near.front()[i];
        else if (is_lost[i])
            moved[i] = {tables.first_left(i), 0};
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

/// If a parameter is active in every valid configuration, reduced() may remove the value that it
/// has while inactive. The condition then becomes a constraint. Without the constraint, the
/// parameter could be inactive with another value.
/// @param from    the space that was reduced
/// @param tables  the remaining values of its tables
/// @return  these parameters
inline std::vector<std::size_t>
require_lost_conditions(description const& from, table_cutter const& tables, reduced_space& out)
{
    std::vector<std::size_t> lost;
    for (std::size_t i = 0; i < from.parameters.size(); ++i) {
        activity_description const& active = from.parameters[i].active;
        if (active.root == no_index || tables.has(i, active.otherwise.index)) continue;
        auto const has_root = [&](constraint_description const& c) {
            return c.root == active.counts;
        };
        std::vector<constraint_description>& all = out.space.constraints;
        auto const added = all.begin() + static_cast<std::ptrdiff_t>(from.constraints.size());
        if (std::any_of(all.begin(), added, has_root)) continue; // the user requires the condition
        lost.push_back(i);
        if (std::any_of(added, all.end(), has_root)) continue;
        all.push_back({.root = active.counts,
                       .scope = parameters_read(out.space, active.counts),
                       .test = {},
                       .text = text_of_node(out.space, out.space.nodes[active.counts])});
    }
    return lost;
}

/// Adds notes on conditions of the parameters `lost` that stay as constraints.
inline void tell_conditions(std::vector<std::size_t> const& lost, reduced_space& out)
{
    description const& space = out.space;
    for (std::size_t const i : lost) {
        parameter_description const& p = space.parameters[i];
        for (std::uint32_t c = 0; c < space.constraints.size(); ++c)
            if (space.constraints[c].root == p.active.counts) {
                out.notes.push_back("the condition of " + p.name +
                                    " is now a constraint: " + constraint_text(space, c));
                break;
            }
    }
}

/// Drops constraints that every combination of values fulfils.
/// @param reported  number of constraints, those of the user, that `dropped` reports
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
    std::vector<std::size_t> const lost =
        detail::require_lost_conditions(space.describe(), cutter, out);
    detail::move_defaults(space, cutter, out);
    detail::settle_conditions(out.space);
    detail::drop_fulfilled(options, space.describe().constraints.size(), out);
    detail::tell_conditions(lost, out);
    std::vector<bool> is_wide(out.space.parameters.size(), false);
    for (std::size_t w = 0; w < space.wide_count(); ++w)
        for (std::uint32_t const p : space.wide_at(w).parameters())
            is_wide[p] = true;
    for (detail::named_value const& v : detail::named_values(out.space)) {
        auto const first = is_wide.begin() + v.first;
        if (std::find(first, first + v.count, true) == first + v.count) continue;
        out.notes.push_back(std::string(v.name) +
                            " keeps all values: its tree, which has the valid ones, is too wide "
                            "to build");
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
