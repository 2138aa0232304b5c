// attune/space/detail/nearest_leaves.hpp - the leaves of trees nearest to a configuration.
// SPDX-License-Identifier: MIT
// Source   own: A* over the shared nodes of each tree with exact bounds from the leaves up, so that
//          each answer costs one walk; the best combinations over the trees by merging sorted lists
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The distance of a setting. Both members are sums over parameters.
struct change_cost {
    std::uint32_t changes = 0;
    double squared = 0; ///< sum of squared distances

    [[nodiscard]] friend bool operator<(change_cost const& a, change_cost const& b) noexcept
    {
        return std::tie(a.changes, a.squared) < std::tie(b.changes, b.squared);
    }
    [[nodiscard]] friend change_cost operator+(change_cost const& a, change_cost const& b) noexcept
    {
        return {a.changes + b.changes, a.squared + b.squared};
    }
};

/// A leaf of one tree, or one leaf of each of several trees.
struct changed_setting {
    change_cost cost;
    std::vector<leaf_count> leaf;
};

/// The cost of a move from `from` to value `index`.
[[nodiscard]] inline change_cost value_cost(parameter_description const& parameter, coordinate from,
                                            std::uint32_t index)
{
    if (index == from.index) return {};
    double const d = parameter_distance(parameter, from, {index, 0});
    return {1, d * d};
}

/// A range of leaves [first, last) of a tree without nodes that contains the cheapest `count`
/// leaves. If the cost grows with the distance in the table, it has `count` leaves on each side.
[[nodiscard]] inline std::pair<std::uint32_t, std::uint32_t>
leaves_near(tree const& t, parameter_description const& parameter, coordinate from,
            std::size_t count)
{
    auto const leaves = static_cast<std::uint32_t>(t.leaves());
    bool const is_ordered = parameter.traits().is_ordered;
    if (!is_ordered || count >= leaves) return {0, leaves};
    auto const reach = static_cast<std::uint32_t>(count);
    std::uint32_t const at = t.leaves_below_value(from.index);
    return {at - std::min(at, reach), leaves - at > reach ? at + reach + 1 : leaves};
}

/// Finds the leaves of one tree in order of cost. An inactive parameter costs nothing, and has one
/// value. So the parameter of a node with several edges below the levels of its condition is
/// active. At other nodes the value of inactive parameters costs nothing until the walk reaches the
/// leaf, where the cost becomes exact.
class leaf_search {
public:
    /// @param t, space, from  must outlive this object
    /// @param valid           a valid configuration: values of other trees, for conditions
    /// @param count           the most leaves that the caller requests
    leaf_search(tree const& t, description const& space, point const& from, point const& valid,
                std::size_t count)
        : tree_(t)
        , space_(space)
        , from_(from)
    {
        find_conditions(valid);
        if (is_free(t)) {
            std::uint32_t const parameter = t.parameters().front();
            auto const [first, last] =
                leaves_near(t, space.parameters[parameter], from[parameter], count);
            for (std::uint32_t leaf = first; leaf < last; ++leaf)
                open_.push({cost(0, t.run_value(leaf), t.leaves() == 1), {}, 1, 0, leaf});
            return;
        }
        for (std::uint32_t const parameter : t.parameters())
            tabulate(parameter);
        below_ = leaves_below(t);
        bound_from_below();
        open_.push({least_[root_of(t)], {}, 0, root_of(t), 0});
    }

    /// The cheapest `count` leaves, in order; fewer if the tree has fewer.
    [[nodiscard]] std::vector<changed_setting> cheapest(std::size_t count)
    {
        std::vector<changed_setting> out;
        while (out.size() < count && !open_.empty()) {
            entry here = open_.top();
            open_.pop();
            if (here.level < tree_.parameters().size()) {
                expand(here);
            } else if (here.is_exact || !is_conditional_) {
                out.push_back({here.bound, {here.leaf}});
            } else {
                here.bound = exact_cost(here.leaf);
                here.is_exact = true;
                open_.push(here);
            }
        }
        return out;
    }

private:
    struct entry {
        change_cost bound; ///< cost of the cheapest leaf below; a lower bound if conditional
        change_cost paid;  ///< cost of the levels above
        std::size_t level;
        std::uint32_t node;
        leaf_count leaf; ///< leaves before the first leaf below
        bool is_exact = false;

        /// Order of the queue: lower cost first, then nearer to the leaves, to find leaves soon.
        [[nodiscard]] friend bool operator<(entry const& a, entry const& b) noexcept
        {
            if (a.bound < b.bound || b.bound < a.bound) return b.bound < a.bound;
            return a.level != b.level ? a.level < b.level : a.leaf > b.leaf;
        }
    };

    /// Stores the costs of all values, unless the parameter is a range without a table.
    void tabulate(std::uint32_t parameter)
    {
        parameter_description const& p = space_.parameters[parameter];
        std::vector<change_cost>& row =
            costs_.emplace_back(p.range_count > 0 ? 0 : p.value_count());
        for (std::uint32_t v = 0; v < row.size(); ++v)
            row[v] = cost_if_active(parameter, v);
    }

    /// Finds the levels of parameters that may be active or inactive.
    void find_conditions(point const& valid)
    {
        auto const own = tree_.parameters();
        for (std::uint32_t const parameter : own)
            is_conditional_ = is_conditional_ || space_.parameters[parameter].is_conditional();
        if (!is_conditional_) return;
        valid_ = valid;
        marked_ = with_inactive_marked(space_, from_);
        for (std::size_t level = 0; level < own.size(); ++level) {
            std::uint32_t const counts = space_.parameters[own[level]].active.counts;
            bool is_open = false;
            if (counts != no_index)
                for (std::uint32_t const read : parameters_read(space_, counts))
                    is_open = is_open || space_.parameters[read].traits().is_interval ||
                              std::find(own.begin() + static_cast<std::ptrdiff_t>(level), own.end(),
                                        read) != own.end();
            is_open_.push_back(is_open);
        }
    }

    [[nodiscard]] change_cost cost_if_active(std::uint32_t parameter, std::uint32_t value) const
    {
        parameter_description const& p = space_.parameters[parameter];
        if (!p.is_conditional()) return value_cost(p, from_[parameter], value);
        double const d = parameter_distance(p, marked_[parameter], {value, 0});
        return {value != from_[parameter].index ? 1U : 0U, d * d};
    }

    /// The cost of a leaf: inactive parameters add their distance, but no change.
    [[nodiscard]] change_cost exact_cost(leaf_count leaf) const
    {
        point to = valid_;
        for (std::size_t i = 0; i < to.size(); ++i)
            if (space_.parameters[i].traits().is_interval) to[i] = from_[i];
        tree_.place(leaf, to);
        change_cost sum;
        for (std::uint32_t const i : tree_.parameters()) {
            bool const counts = is_active(space_, i, to);
            double const d = parameter_distance(space_.parameters[i], marked_[i],
                                                counts ? to[i] : inactive_place);
            sum = sum + change_cost{counts && to[i] != from_[i] ? 1U : 0U, d * d};
        }
        return sum;
    }

    /// A lower bound of the cost of a value. @param is_only  the node has no other value
    [[nodiscard]] change_cost cost(std::size_t level, std::uint32_t value, bool is_only) const
    {
        if (is_conditional_ && (is_only || is_open_[level])) {
            parameter_description const& p = space_.parameters[tree_.parameters()[level]];
            if (p.is_conditional() && value == p.active.otherwise.index) return {};
        }
        if (level < costs_.size() && !costs_[level].empty()) return costs_[level][value];
        std::uint32_t const parameter = tree_.parameters()[level];
        return cost_if_active(parameter, value);
    }

    void bound_from_below()
    {
        std::vector<std::size_t> const level = levels_of(tree_);
        least_.resize(tree_.node_count());
        for (std::uint32_t node = 0; node < least_.size(); ++node) {
            if (level[node] == tree_.parameters().size()) continue;
            least_[node] = {std::numeric_limits<std::uint32_t>::max(), 0};
            for (std::size_t e = 0; e < tree_.values(node).size(); ++e) {
                change_cost const here = through(node, e, level[node]);
                if (here < least_[node]) least_[node] = here;
            }
        }
    }

    [[nodiscard]] change_cost edge_cost(std::uint32_t node, std::size_t e, std::size_t level) const
    {
        return cost(level, tree_.values(node)[e], tree_.values(node).size() == 1);
    }

    [[nodiscard]] change_cost through(std::uint32_t node, std::size_t e, std::size_t level) const
    {
        std::uint32_t const child = tree_.children(node)[e];
        change_cost const value = edge_cost(node, e, level);
        return child == tree_edge::no_child ? value : value + least_[child];
    }

    void expand(entry const& from)
    {
        leaf_count before = from.leaf;
        for (std::size_t e = 0; e < tree_.values(from.node).size(); ++e) {
            std::uint32_t const child = tree_.children(from.node)[e];
            change_cost const value = edge_cost(from.node, e, from.level);
            open_.push({from.paid + through(from.node, e, from.level), from.paid + value,
                        from.level + 1, child, before});
            before += child == tree_edge::no_child ? 1 : below_[child];
        }
    }

    tree const& tree_;
    description const& space_;
    point const& from_;
    bool is_conditional_ = false; // true: bounds of leaves are not exact, the next three are set
    point valid_;
    point marked_;              // `from` with inactive parameters marked
    std::vector<bool> is_open_; // level -> its parameter's condition reads a level below
    std::vector<std::vector<change_cost>> costs_; // level -> value -> cost; see tabulate()
    std::vector<leaf_count> below_;
    std::vector<change_cost> least_; // node -> cheapest setting below it
    std::priority_queue<entry> open_;
};

/// The cheapest `count` pairs of an entry of `a` and an entry of `b`, both in order of cost.
[[nodiscard]] inline std::vector<changed_setting>
cheapest_pairs(std::vector<changed_setting> const& a, std::vector<changed_setting> const& b,
               std::size_t count)
{
    struct pair {
        change_cost cost;
        std::size_t first;
        std::size_t second;
        [[nodiscard]] bool operator<(pair const& other) const noexcept
        {
            if (cost < other.cost || other.cost < cost) return other.cost < cost;
            return std::tie(other.first, other.second) < std::tie(first, second);
        }
    };
    std::priority_queue<pair> open;
    for (std::size_t i = 0; i < a.size(); ++i)
        open.push({a[i].cost + b.front().cost, i, 0});
    std::vector<changed_setting> out;
    while (out.size() < count && !open.empty()) {
        pair const best = open.top();
        open.pop();
        out.push_back({best.cost, a[best.first].leaf});
        out.back().leaf.push_back(b[best.second].leaf.front());
        if (best.second + 1 < b.size())
            open.push({a[best.first].cost + b[best.second + 1].cost, best.first, best.second + 1});
    }
    return out;
}

/// Up to options.count valid configurations nearest to `p`, without `p`.
///
/// Requests more and more settings from `cheapest`, until enough of them make valid configurations,
/// or until it has tested options.candidates.
/// @param space     a chain_of_trees: contains()
/// @param cheapest  returns the cheapest settings in order, at most the given number
/// @param make      returns the configuration of a setting, or nothing
template <class Space, class Cheapest, class Make>
[[nodiscard]] std::vector<point> nearest_among(Space const& space, point const& p,
                                               nearest_options const& options,
                                               Cheapest const& cheapest, Make const& make)
{
    std::vector<point> out;
    std::size_t const most = std::max(options.candidates, options.count + 1);
    std::size_t tested = 0;
    for (std::size_t asked = options.count + 1;; asked = std::min(asked * 4, most)) {
        std::vector<changed_setting> const found = cheapest(asked);
        for (; tested < found.size() && out.size() < options.count; ++tested) {
            point near = make(found[tested]);
            if (near != p && space.contains(near)) out.push_back(std::move(near));
        }
        if (out.size() == options.count || found.size() < asked || asked == most) return out;
    }
}

/// The valid settings of all trees nearest to `p`, with the real parameters of `p`.
template <class Space>
[[nodiscard]] std::vector<point> nearest_settings(Space const& space, point const& p,
                                                  nearest_options const& options)
{
    point const from = space.settled(p);
    point valid = from;
    for (std::size_t t = 0; t < space.tree_count(); ++t)
        space.tree_at(t).place(0, valid);
    auto const cheapest = [&](std::size_t count) {
        std::vector<changed_setting> out{{{}, {}}};
        for (std::size_t t = 0; t < space.tree_count(); ++t) {
            leaf_search search(space.tree_at(t), space.describe(), from, valid, count);
            out = cheapest_pairs(out, search.cheapest(count), count);
        }
        return out;
    };
    auto const make = [&](changed_setting const& found) {
        point near = from;
        for (std::size_t t = 0; t < space.tree_count(); ++t)
            space.tree_at(t).place(found.leaf[t], near);
        return space.settled(std::move(near));
    };
    return nearest_among(space, p, options, cheapest, make);
}

/// The other settings of tree `t` nearest to the valid `p`; parameters of other trees keep their
/// values.
template <class Space>
[[nodiscard]] std::vector<point> nearest_settings_of(Space const& space, std::size_t t,
                                                     point const& p)
{
    auto const cheapest = [&](std::size_t count) {
        return leaf_search(space.tree_at(t), space.describe(), p, p, count).cheapest(count);
    };
    auto const make = [&](changed_setting const& found) {
        point near = p;
        space.tree_at(t).place(found.leaf.front(), near);
        return space.settled(std::move(near));
    };
    return nearest_among(space, p, nearest_options{}, cheapest, make);
}

} // namespace attune::inline ATTUNE_ABI::detail
