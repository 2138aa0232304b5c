// attune/space/chain_of_trees.ipp - the data of a chain of trees; builds and reads it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/declare/activity.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/detail/nearest_leaves.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/tree/build.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
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

ATTUNE_INLINE chain_of_trees::chain_of_trees(description bound, build_options const& options)
{
    detail::own_float_environment const numbers;
    shared_ = std::make_shared<state const>(std::move(bound), options, nullptr);
}

ATTUNE_INLINE chain_of_trees::chain_of_trees(std::shared_ptr<state const> made) noexcept
    : shared_(std::move(made))
{
}

ATTUNE_INLINE chain_of_trees chain_of_trees::rebuilt(description bound) const
{
    detail::own_float_environment const numbers;
    return chain_of_trees(
        std::make_shared<state const>(std::move(bound), shared_->options, shared_.get()));
}

ATTUNE_INLINE description const& chain_of_trees::describe() const noexcept
{
    return shared_->space;
}

ATTUNE_INLINE std::size_t chain_of_trees::tree_count() const noexcept
{
    return shared_->trees.size();
}

ATTUNE_INLINE detail::tree const& chain_of_trees::tree_at(std::size_t i) const noexcept
{
    return *shared_->trees[i];
}

ATTUNE_INLINE bool chain_of_trees::has_real_parameters() const noexcept
{
    return !shared_->reals.parameters.empty();
}

ATTUNE_INLINE bool chain_of_trees::is_exact() const noexcept { return shared_->wide.empty(); }

ATTUNE_INLINE std::size_t chain_of_trees::wide_count() const noexcept
{
    return shared_->wide.size();
}

ATTUNE_INLINE detail::wide_tree const& chain_of_trees::wide_at(std::size_t i) const noexcept
{
    return shared_->wide[i];
}

ATTUNE_INLINE void chain_of_trees::require_exact(std::string const& wanted) const
{
    if (is_exact()) return;
    std::string where;
    for (detail::wide_tree const& w : shared_->wide) {
        where += where.empty() ? "parameters" : "; parameters";
        char const* separator = " ";
        for (std::uint32_t const p : w.parameters()) {
            where += separator + describe().parameters[p].name;
            separator = ", ";
        }
    }
    throw error(wanted +
                    " needs all trees of a space, but a tree of this space is too wide to build",
                where,
                "give these parameters fewer values or raise build_options::max_visits and "
                "max_bytes; sample(), contains() and neighbours() work without a tree");
}

ATTUNE_INLINE std::optional<leaf_count> chain_of_trees::size() const noexcept
{
    if (!is_exact()) return {};
    leaf_count product = 1;
    for (auto const& t : shared_->trees) {
        if (product > detail::uncountable / t->leaves()) return {};
        product *= t->leaves();
    }
    return product;
}

ATTUNE_INLINE double chain_of_trees::log2_size() const noexcept { return estimated_size().log2; }

ATTUNE_INLINE size_estimate chain_of_trees::estimated_size() const noexcept
{
    size_estimate out;
    for (auto const& t : shared_->trees)
        out.log2 += std::log2(static_cast<double>(t->leaves()));
    double squares = 0;
    for (detail::wide_tree const& w : shared_->wide) {
        out.log2 += w.log2_leaves();
        squares += w.relative_error() * w.relative_error();
    }
    out.relative_error = std::sqrt(squares);
    return out;
}

ATTUNE_INLINE bool chain_of_trees::is_active(std::uint32_t index, point const& p) const
{
    return detail::is_active(describe(), index, p);
}

ATTUNE_INLINE point chain_of_trees::settled(point p) const
{
    if (!shared_->is_conditional || p.size() != describe().parameters.size()) return p;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (!detail::is_inside(describe().parameters[i], p[i])) return p;
    detail::settle(describe(), p);
    return p;
}

ATTUNE_INLINE void chain_of_trees::set_reals(point& p) const
{
    for (std::uint32_t const real : shared_->reals.parameters)
        p[real].real = detail::scale_value(describe().parameters[real], 0.5);
    shared_->settle_reals(p);
}

ATTUNE_INLINE bool chain_of_trees::has_conditional_reals() const noexcept
{
    return !shared_->unsettled.empty();
}

ATTUNE_INLINE point chain_of_trees::at(space_index const& index) const
{
    require_exact("numbering");
    ATTUNE_ASSERT(index.leaf.size() == tree_count(), "an index has one leaf per tree");
    point out = shared_->middle();
    for (std::size_t t = 0; t < tree_count(); ++t)
        tree_at(t).place(index.leaf[t], out);
    shared_->settle_reals(out);
    return out;
}

ATTUNE_INLINE point chain_of_trees::at(std::uint64_t i) const
{
    require_exact("numbering");
    point out = shared_->middle();
    leaf_count rest = i;
    for (std::size_t t = tree_count(); t-- > 0;) {
        tree_at(t).place(rest % tree_at(t).leaves(), out);
        rest /= tree_at(t).leaves();
    }
    ATTUNE_ASSERT(rest == 0, "a configuration's number must be below size()");
    shared_->settle_reals(out);
    return out;
}

ATTUNE_INLINE std::optional<space_index> chain_of_trees::index_of(point const& p) const
{
    require_exact("numbering");
    if (p.size() != describe().parameters.size()) return {};
    space_index out;
    for (auto const& t : shared_->trees) {
        std::optional<leaf_count> const leaf = t->leaf_of(p);
        if (!leaf) return {};
        out.leaf.push_back(*leaf);
    }
    return out;
}

ATTUNE_INLINE bool chain_of_trees::contains(point const& p) const
{
    if (p.size() != describe().parameters.size()) return false;
    for (auto const& t : shared_->trees)
        if (!t->leaf_of(p)) return false;
    return shared_->wide_accept(p) && shared_->reals.accepts(describe(), p);
}

ATTUNE_INLINE point chain_of_trees::sample(random_engine& engine) const
{
    constexpr int most_draws = 1'000'000;
    point out(describe().parameters.size());
    for (int i = 0; i < most_draws; ++i) {
        shared_->draw(out, engine);
        if (shared_->reals.accepts(describe(), out)) return out;
    }
    shared_->reals.refuse(describe());
}

ATTUNE_INLINE std::vector<point> chain_of_trees::neighbours(point const& p) const
{
    std::vector<point> out;
    std::vector<bool> can_move(p.size(), false);
    bool const is_valid = contains(p);
    // If `p` is valid, a step of one parameter can only break the constraints of its own tree.
    bool const by_tree = is_valid && is_exact() && !shared_->is_conditional;
    auto const accepts = [&](std::uint32_t i, point const& next) {
        if (!by_tree) return contains(next);
        std::uint32_t const t = shared_->tree_of[i];
        return (t == no_index || tree_at(t).leaf_of(next)) &&
               shared_->reals.accepts(describe(), next);
    };
    point moved = p;
    point after_step;
    for (std::uint32_t i = 0; i < p.size(); ++i) {
        if (shared_->is_conditional && !is_active(i, p)) continue;
        detail::for_each_step(describe().parameters[i], p[i], [&](coordinate const& step) {
            moved[i] = step;
            if (shared_->is_conditional) after_step = settled(moved);
            point const& next = shared_->is_conditional ? after_step : moved;
            bool const valid = accepts(i, next);
            if (valid) out.push_back(next);
            can_move[i] = can_move[i] || valid;
            return valid;
        });
        moved[i] = p[i];
    }
    if (!is_valid) {
        if (!out.empty() || !is_exact()) return out;
        return detail::nearest_settings(*this, p, nearest_options{});
    }
    for (std::size_t t = 0; t < tree_count(); ++t) {
        std::span<std::uint32_t const> const own = tree_at(t).parameters();
        auto const moves = [&](std::uint32_t i) { return can_move[i]; };
        if (tree_at(t).leaves() == 1 || std::any_of(own.begin(), own.end(), moves)) continue;
        for (point& near : detail::nearest_settings_of(*this, t, p))
            out.push_back(std::move(near));
    }
    return out;
}

ATTUNE_INLINE bool chain_of_trees::is_tested(std::uint32_t constraint) const noexcept
{
    for (std::size_t c = 0; c < shared_->conditions.size(); ++c)
        if (shared_->conditions[c].source == constraint && shared_->tested[c]) return true;
    return false;
}

ATTUNE_INLINE std::vector<std::string> chain_of_trees::violations(point const& p) const
{
    if (p.size() != describe().parameters.size())
        return {"a configuration needs " + std::to_string(describe().parameters.size()) +
                " coordinates, this one has " + std::to_string(p.size())};
    std::vector<std::string> out;
    std::vector<bool> outside(p.size(), false);
    for (std::size_t i = 0; i < p.size(); ++i) {
        parameter_description const& parameter = describe().parameters[i];
        outside[i] = !detail::is_inside(parameter, p[i]);
        if (outside[i]) out.push_back(parameter.name + " is outside its values");
    }
    std::uint32_t reported = no_index;
    for (detail::condition const& c : shared_->conditions) {
        bool readable = c.source != reported;
        for (std::uint32_t const read : c.scope)
            readable = readable && !outside[read];
        if (!readable || detail::holds(describe(), c, p)) continue;
        out.push_back(detail::constraint_text(describe(), c.source));
        reported = c.source;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
