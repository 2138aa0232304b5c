// attune/space/detail/chain_of_trees_state.hpp - the data of a chain of trees, and its construction.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/tree/build.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline std::uint32_t first_parameter(tree const& t)
{
    return *std::min_element(t.parameters().begin(), t.parameters().end());
}

} // namespace detail

struct chain_of_trees::state {
    description space;
    build_options options;
    std::vector<detail::condition> conditions;
    std::vector<bool> tested;                               // by condition: a tree or draw tests it
    std::vector<std::shared_ptr<detail::tree const>> trees; // ordered by their first parameter
    std::vector<std::uint32_t> tree_of;                     // by parameter; no_index: in no tree
    std::vector<detail::wide_tree> wide;                    // groups without a tree
    detail::real_part reals;
    /// Conditional parameters that no tree settles: real ones, and those whose condition reads one.
    std::vector<std::uint32_t> unsettled;
    bool is_conditional = false; ///< at least one parameter is conditional

    /// @param before  the state whose unchanged trees this state shares; or nullptr
    state(description bound, build_options const& limits, state const* before)
        : space(std::move(bound))
        , options(limits)
    {
        detail::require_bound(space);
        is_conditional = detail::has_conditions(space);
        if (is_conditional) settle_conditions();
        conditions = detail::conditions_of(space);
        std::vector<bool> is_new(space.parameters.size(), true);
        if (before != nullptr)
            is_new = detail::parameters_to_rebuild(before->space, space, conditions);
        tested.assign(conditions.size(), false);
        grow(is_new);
        for (std::size_t c = 0; c < conditions.size(); ++c)
            if (is_kept(conditions[c], is_new)) tested[c] = before->tested[c];
        for (std::size_t t = 0; before != nullptr && t < before->trees.size(); ++t) {
            std::uint32_t const parameter = before->trees[t]->parameters().front();
            if (parameter < is_new.size() && !is_new[parameter]) trees.push_back(before->trees[t]);
        }
        for (std::size_t w = 0; before != nullptr && w < before->wide.size(); ++w) {
            std::uint32_t const parameter = before->wide[w].parameters().front();
            if (parameter < is_new.size() && !is_new[parameter]) wide.push_back(before->wide[w]);
        }
        std::sort(trees.begin(), trees.end(), [](auto const& a, auto const& b) {
            return detail::first_parameter(*a) < detail::first_parameter(*b);
        });
        tree_of.assign(space.parameters.size(), no_index);
        for (std::uint32_t t = 0; t < trees.size(); ++t)
            for (std::uint32_t const p : trees[t]->parameters())
                tree_of[p] = t;
        random_engine engine(1);
        point drawn(space.parameters.size());
        reals.require_acceptance(space, drawn, [&] { draw(drawn, engine); });
    }

    void settle_conditions()
    {
        detail::settle_conditions(space);
        for (detail::condition const& c : detail::conditions_of(space))
            if (std::uint32_t const p = space.constraints[c.source].settles;
                c.reads_real && p != no_index && (unsettled.empty() || unsettled.back() != p))
                unsettled.push_back(p);
    }

    /// Builds the trees of the marked parameters.
    void grow(std::vector<bool> const& is_new)
    {
        std::vector<detail::condition> read;
        for (detail::condition const& c : conditions)
            if (!is_kept(c, is_new)) read.push_back(c);
        detail::grouping parts = detail::make_groups(space, std::move(read), options.enumeration);
        if (parts.is_empty) detail::throw_empty(space, options);
        std::uint64_t visits = options.max_visits;
        for (detail::parameter_group const& group : parts.groups) {
            if (!is_new[group.parameters.front()]) continue;
            mark_tested(group.conditions);
            detail::grown_tree grown =
                detail::grow_tree(space, group, parts.domains, options, visits);
            if (!grown.is_wide) {
                if (!grown.made) detail::throw_empty(space, options);
                trees.push_back(std::make_shared<detail::tree const>(*std::move(grown.made)));
                continue;
            }
            if (options.wide == when_wide::refuse)
                detail::too_wide(space, group, detail::limits_sentence(options));
            wide.emplace_back(space, group, parts.domains, options);
            if (wide.back().is_empty()) detail::throw_empty(space, options);
        }
        mark_tested(parts.over_reals);
        reals = detail::real_part(space, std::move(parts.over_reals));
    }

    /// Returns true if the tree of condition `c` is shared.
    [[nodiscard]] static bool is_kept(detail::condition const& c, std::vector<bool> const& is_new)
    {
        return !c.reads_real && !c.scope.empty() && !is_new[c.scope.front()];
    }

    void mark_tested(std::vector<detail::condition> const& used)
    {
        std::set<std::pair<std::uint32_t, std::uint32_t>> marked; // source of a predicate, root
        for (detail::condition const& u : used) {
            marked.emplace(u.root == no_index ? u.source : no_index, u.root);
            for (std::uint32_t const root : u.also)
                marked.emplace(no_index, root);
        }
        for (std::size_t c = 0; c < conditions.size(); ++c) {
            std::uint32_t const root = conditions[c].root;
            if (marked.contains({root == no_index ? conditions[c].source : no_index, root}))
                tested[c] = true;
        }
    }

    /// Draws uniformly over the leaves and on the scales; ignores constraints over reals.
    void draw(point& out, random_engine& engine) const
    {
        for (auto const& t : trees)
            t->place(detail::uniform_leaf(engine, t->leaves()), out);
        for (detail::wide_tree const& w : wide)
            w.draw(engine, out);
        for (std::uint32_t const p : reals.parameters)
            out[p].real = detail::scale_value(space.parameters[p], uniform_unit(engine));
        settle(out);
    }

    /// Sets inactive parameters that no tree settles, each to its one value.
    void settle(point& at) const
    {
        for (std::uint32_t const p : unsettled)
            if (!detail::is_active(space, p, at)) at[p] = space.parameters[p].active.otherwise;
    }
    /// settle() for real parameters only.
    void settle_reals(point& at) const
    {
        for (std::uint32_t const p : unsettled)
            if (space.parameters[p].traits().is_interval && !detail::is_active(space, p, at))
                at[p] = space.parameters[p].active.otherwise;
    }

    /// Returns true if `p` is in the tables of groups without a tree, and their constraints accept
    /// it.
    [[nodiscard]] bool wide_accept(point const& p) const
    {
        if (wide.empty()) return true;
        std::vector<bool> in_wide(space.parameters.size(), false);
        for (detail::wide_tree const& w : wide)
            for (std::uint32_t const parameter : w.parameters()) {
                if (!detail::is_inside(space.parameters[parameter], p[parameter])) return false;
                in_wide[parameter] = true;
            }
        return std::all_of(conditions.begin(), conditions.end(), [&](detail::condition const& c) {
            bool const reads_wide = std::any_of(c.scope.begin(), c.scope.end(),
                                                [&](std::uint32_t read) { return in_wide[read]; });
            return c.reads_real || !reads_wide || detail::holds(space, c, p);
        });
    }

    /// Every real parameter at the middle of its scale, every discrete one at its first value. Real
    /// parameters may be inactive: see settle_reals().
    [[nodiscard]] point middle() const
    {
        point out(space.parameters.size());
        for (std::uint32_t const p : reals.parameters)
            out[p].real = detail::scale_value(space.parameters[p], 0.5);
        return out;
    }
};

} // namespace attune::inline ATTUNE_ABI
