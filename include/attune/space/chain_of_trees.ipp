// attune/space/chain_of_trees.ipp - what a chain of trees holds, and its walks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/build.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/conditions.hpp>
#include <attune/space/explain.hpp>
#include <attune/space/over_reals.hpp>
#include <attune/space/reuse.hpp>
#include <attune/space/steps.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attune {

namespace detail {

[[nodiscard]] inline std::uint32_t first_parameter(tree const& t)
{
    return *std::min_element(t.parameters().begin(), t.parameters().end());
}

} // namespace detail

struct chain_of_trees::state {
    description space;
    build_options options;
    std::vector<condition> conditions;
    std::vector<bool> tested;                       // condition -> some tree or draw tests it
    std::vector<std::shared_ptr<tree const>> trees; // ordered by their first parameter
    detail::real_part reals;

    /// @param before  whose trees are taken over where nothing they depend on differs; or nullptr
    state(description bound, build_options const& limits, state const* before)
        : space(std::move(bound))
        , options(limits)
    {
        require_bound(space);
        conditions = conditions_of(space);
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
        std::sort(trees.begin(), trees.end(), [](auto const& a, auto const& b) {
            return detail::first_parameter(*a) < detail::first_parameter(*b);
        });
        random_engine engine(1);
        point drawn(space.parameters.size());
        reals.require_acceptance(space, drawn, [&] { draw(drawn, engine); });
    }

    /// Builds the trees of the parameters marked.
    void grow(std::vector<bool> const& is_new)
    {
        std::vector<condition> read;
        for (condition const& c : conditions)
            if (!is_kept(c, is_new)) read.push_back(c);
        grouping parts = make_groups(space, std::move(read), options.enumeration);
        if (parts.is_empty) throw_empty(space, options);
        for (parameter_group const& group : parts.groups) {
            if (!is_new[group.parameters.front()]) continue;
            mark_tested(group.conditions);
            std::optional<tree> grown = build_tree(space, group, parts.domains, options);
            if (!grown) throw_empty(space, options);
            trees.push_back(std::make_shared<tree const>(*std::move(grown)));
        }
        mark_tested(parts.over_reals);
        reals = detail::real_part(space, std::move(parts.over_reals));
    }

    /// Whether the tree that `c` is part of is taken over.
    [[nodiscard]] static bool is_kept(condition const& c, std::vector<bool> const& is_new)
    {
        return !c.reads_real && !c.scope.empty() && !is_new[c.scope.front()];
    }

    void mark_tested(std::vector<condition> const& used)
    {
        for (std::size_t c = 0; c < conditions.size(); ++c)
            for (condition const& u : used)
                if (u.source == conditions[c].source && u.root == conditions[c].root)
                    tested[c] = true;
    }

    /// Uniform over the leaves and on the scales; constraints over reals not looked at.
    void draw(point& out, random_engine& engine) const
    {
        for (auto const& t : trees)
            t->place(uniform_leaf(engine, t->leaves()), out);
        for (std::uint32_t const p : reals.parameters)
            out[p].real = scale_value(space.parameters[p], uniform_unit(engine));
    }

    /// Every real parameter at the middle of its scale, every other one at its first value.
    [[nodiscard]] point middle() const
    {
        point out(space.parameters.size());
        for (std::uint32_t const p : reals.parameters)
            out[p].real = scale_value(space.parameters[p], 0.5);
        return out;
    }
};

chain_of_trees::chain_of_trees(description bound, build_options const& options)
    : shared_(std::make_shared<state const>(std::move(bound), options, nullptr))
{
}

chain_of_trees::chain_of_trees(std::shared_ptr<state const> made) noexcept
    : shared_(std::move(made))
{
}

chain_of_trees chain_of_trees::rebuilt(description bound) const
{
    return chain_of_trees(
        std::make_shared<state const>(std::move(bound), shared_->options, shared_.get()));
}

description const& chain_of_trees::describe() const noexcept { return shared_->space; }

std::size_t chain_of_trees::tree_count() const noexcept { return shared_->trees.size(); }

tree const& chain_of_trees::tree_at(std::size_t i) const noexcept { return *shared_->trees[i]; }

bool chain_of_trees::has_real_parameters() const noexcept
{
    return !shared_->reals.parameters.empty();
}

std::optional<leaf_count> chain_of_trees::size() const noexcept
{
    leaf_count product = 1;
    for (auto const& t : shared_->trees) {
        if (product > uncountable / t->leaves()) return {};
        product *= t->leaves();
    }
    return product;
}

double chain_of_trees::log2_size() const noexcept
{
    double sum = 0;
    for (auto const& t : shared_->trees)
        sum += std::log2(static_cast<double>(t->leaves()));
    return sum;
}

point chain_of_trees::at(space_index const& index) const
{
    ATTUNE_ASSERT(index.leaf.size() == tree_count(), "an index has one leaf per tree");
    point out = shared_->middle();
    for (std::size_t t = 0; t < tree_count(); ++t)
        tree_at(t).place(index.leaf[t], out);
    return out;
}

point chain_of_trees::at(std::uint64_t i) const
{
    point out = shared_->middle();
    leaf_count rest = i;
    for (std::size_t t = tree_count(); t-- > 0;) {
        tree_at(t).place(rest % tree_at(t).leaves(), out);
        rest /= tree_at(t).leaves();
    }
    ATTUNE_ASSERT(rest == 0, "a configuration's number must be below size()");
    return out;
}

std::optional<space_index> chain_of_trees::index_of(point const& p) const
{
    if (p.size() != describe().parameters.size()) return {};
    space_index out;
    for (auto const& t : shared_->trees) {
        std::optional<leaf_count> const leaf = t->leaf_of(p);
        if (!leaf) return {};
        out.leaf.push_back(*leaf);
    }
    return out;
}

bool chain_of_trees::contains(point const& p) const
{
    if (p.size() != describe().parameters.size()) return false;
    for (auto const& t : shared_->trees)
        if (!t->leaf_of(p)) return false;
    return shared_->reals.accepts(describe(), p);
}

point chain_of_trees::sample(random_engine& engine) const
{
    constexpr int most_draws = 1'000'000;
    point out(describe().parameters.size());
    for (int i = 0; i < most_draws; ++i) {
        shared_->draw(out, engine);
        if (shared_->reals.accepts(describe(), out)) return out;
    }
    shared_->reals.refuse(describe());
}

std::vector<point> chain_of_trees::neighbours(point const& p) const
{
    std::vector<point> out;
    point moved = p;
    for (std::uint32_t i = 0; i < p.size(); ++i) {
        for_each_step(describe().parameters[i], p[i], [&](coordinate const& step) {
            moved[i] = step;
            bool const valid = contains(moved);
            if (valid) out.push_back(moved);
            return valid;
        });
        moved[i] = p[i];
    }
    return out;
}

bool chain_of_trees::is_tested(std::uint32_t constraint) const noexcept
{
    for (std::size_t c = 0; c < shared_->conditions.size(); ++c)
        if (shared_->conditions[c].source == constraint && shared_->tested[c]) return true;
    return false;
}

std::vector<std::string> chain_of_trees::violations(point const& p) const
{
    if (p.size() != describe().parameters.size())
        return {"a configuration needs " + std::to_string(describe().parameters.size()) +
                " coordinates, this one has " + std::to_string(p.size())};
    std::vector<std::string> out;
    std::vector<bool> outside(p.size(), false);
    for (std::size_t i = 0; i < p.size(); ++i) {
        parameter_description const& parameter = describe().parameters[i];
        outside[i] = !detail::is_inside(parameter, p[i]);
        if (outside[i]) out.push_back(parameter.name + " stands outside its values");
    }
    std::uint32_t reported = no_index;
    for (condition const& c : shared_->conditions) {
        bool readable = c.source != reported;
        for (std::uint32_t const read : c.scope)
            readable = readable && !outside[read];
        if (!readable || holds(describe(), c, p)) continue;
        out.push_back(constraint_text(describe(), c.source));
        reported = c.source;
    }
    return out;
}

} // namespace attune
