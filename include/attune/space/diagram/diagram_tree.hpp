// attune/space/diagram/diagram_tree.hpp - grows the tree of one group: the conjunction of the diagrams of its conditions.
// SPDX-License-Identifier: MIT
// Source   own: one diagram per condition, then their product; the work depends on the values that
//          conditions exchange, not on the settings of their parameters
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_maker.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One diagram and the levels of the parameters that its condition reads.
struct factor {
    std::uint32_t node = always_node;
    std::vector<std::size_t> levels; ///< ascending
};

/// Multiplies diagrams, depth first. A state is one remaining node per diagram. Diagrams with the
/// same remaining levels are merged.
class tree_product {
public:
    /// @param order  parameter of each level, with the values of its domain
    tree_product(std::vector<factor> factors, std::vector<std::uint32_t> const& order,
                 std::vector<domain> const& domains, diagram_store& store, effort& budget)
        : order_(order)
        , domains_(domains)
        , store_(store)
        , budget_(budget)
        , made_(order)
        , levels_(order.size() + 1)
    {
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            levels_[l].now.assign(factors.size(), always_node);
            for (factor const& f : factors)
                levels_[l].keyed.push_back(f.levels.front() < l);
            if (l == 0)
                for (std::size_t i = 0; i < factors.size(); ++i)
                    levels_[0].now[i] = factors[i].node;
            if (l < order.size()) factors = merged(std::move(factors), l);
            std::size_t const width = static_cast<std::size_t>(
                std::count(levels_[l].keyed.begin(), levels_[l].keyed.end(), true));
            levels_[l].key.resize(width);
            levels_[l].states = key_table<std::uint32_t>(width);
        }
    }

    /// @return true if a setting is valid; undefined once the budget is spent
    bool grow_all()
    {
        for (std::uint32_t const node : levels_[0].now)
            if (node == never_node) return false;
        return grow(0) != dead;
    }
    [[nodiscard]] tree take() && { return std::move(made_).take(); }

private:
    static constexpr std::uint32_t dead = tree_edge::no_child - 1;
    static constexpr std::size_t nowhere = ~std::size_t{0};
    // Twice the sizes, because vectors have spare capacity.
    static constexpr std::uint64_t state_bytes = 32;
    static constexpr std::uint64_t edge_bytes = 48;
    static constexpr std::uint64_t node_bytes = 112;

    struct level {
        std::vector<std::uint32_t> now;  // node of each factor
        std::vector<bool> keyed;         // by factor: true if it may differ between states
        std::vector<std::size_t> next;   // by factor: index on the level below; nowhere if complete
        std::vector<std::uint32_t> last; // `now` of the level below, for the last value
        std::vector<std::uint32_t> key;
        key_table<std::uint32_t> states;
        std::vector<std::uint32_t> nodes; // number of a state -> its node
        std::vector<tree_edge> edges;
    };

    /// The factors of the level below `l`. Merges factors with the same remaining levels.
    std::vector<factor> merged(std::vector<factor> factors, std::size_t l)
    {
        std::vector<factor> out;
        std::vector<std::vector<std::size_t>> rests;
        for (factor& f : factors) {
            std::vector<std::size_t> rest;
            for (std::size_t const other : f.levels)
                if (other > l) rest.push_back(other);
            if (rest.empty()) {
                levels_[l].next.push_back(nowhere);
                continue;
            }
            std::size_t const place = static_cast<std::size_t>(
                std::find(rests.begin(), rests.end(), rest) - rests.begin());
            levels_[l].next.push_back(place);
            if (place == rests.size()) {
                rests.push_back(std::move(rest));
                out.push_back(std::move(f));
            } else if (f.levels.front() < out[place].levels.front()) {
                out[place].levels = std::move(f.levels);
            }
        }
        return out;
    }

    std::uint32_t grow(std::size_t l)
    {
        if (l == order_.size()) return tree_edge::no_child;
        level& here = levels_[l];
        std::size_t k = 0;
        for (std::size_t i = 0; i < here.now.size(); ++i)
            if (here.keyed[i]) here.key[k++] = here.now[i];
        auto const [state, is_new] = here.states.number_of(here.key);
        if (!is_new) return here.nodes[state];
        here.nodes.push_back(dead);
        budget_.spend_bytes(2 * sizeof(std::uint32_t) * here.key.size() + state_bytes);

        domain const& values = domains_[order_[l]];
        if (!budget_.spend_visits(values.size())) return dead;
        here.edges.clear();
        if (l + 1 == order_.size()) return here.nodes[state] = grow_last(l);
        std::uint32_t child = dead;
        bool has_last = false;
        for (std::uint32_t v = 0; v < values.size(); ++v) {
            if (!advance(l, v)) continue;
            if (!has_last || here.last != levels_[l + 1].now) {
                here.last = levels_[l + 1].now;
                has_last = true;
                child = grow(l + 1);
            }
            if (budget_.is_spent) return dead;
            if (child != dead) here.edges.push_back({values.value(v), child});
        }
        if (here.edges.empty()) return dead;
        budget_.spend_bytes(edge_bytes * here.edges.size() + node_bytes);
        return here.nodes[state] = made_.add(here.edges);
    }

    /// The node of the last level. It has one merged factor, so different states are different
    /// nodes of one diagram, and need different nodes of the tree.
    std::uint32_t grow_last(std::size_t l)
    {
        domain const& values = domains_[order_[l]];
        std::uint32_t node = always_node;
        for (std::uint32_t const one : levels_[l].now)
            node = store_.both(node, one);
        leaves_.resize(values.size());
        std::size_t count = 0;
        for (std::uint32_t v = 0; v < values.size(); ++v) {
            leaves_[count] = values.value(v);
            bool const is_valid = store_.child(node, l, v) != never_node;
            count += static_cast<std::size_t>(is_valid); // a branch would be slow
        }
        if (count == 0) return dead;
        budget_.spend_bytes(edge_bytes * count + node_bytes);
        return made_.add_last(std::span(leaves_).first(count));
    }

    /// Sets the level below `l` to the factors after value `v`. @return false if one is never_node
    bool advance(std::size_t l, std::uint32_t v)
    {
        level const& here = levels_[l];
        std::vector<std::uint32_t>& below = levels_[l + 1].now;
        std::fill(below.begin(), below.end(), always_node);
        for (std::size_t i = 0; i < here.now.size(); ++i) {
            std::uint32_t const node = store_.child(here.now[i], l, v);
            if (node == never_node) return false;
            if (here.next[i] == nowhere) continue;
            std::uint32_t& joined = below[here.next[i]];
            joined = store_.both(joined, node);
            if (joined == never_node) return false;
        }
        return true;
    }

    std::vector<std::uint32_t> order_;
    std::vector<domain> const& domains_;
    diagram_store& store_;
    effort& budget_;
    node_store made_;
    std::vector<level> levels_;
    std::vector<std::uint32_t> leaves_; // of one node of the last level
};

/// Grows the tree of `group` with its levels in the given order. Nothing if no setting is valid;
/// undefined once the budget is spent.
/// Cost   one call of a predicate for every setting of its parameters that other conditions allow
[[nodiscard]] inline std::optional<tree> tree_by_diagrams(description const& space,
                                                          parameter_group const& group,
                                                          std::vector<domain> const& domains,
                                                          std::vector<std::uint32_t> order,
                                                          effort& budget)
{
    diagram_maker maker(space, domains, std::move(order), budget);
    std::vector<factor> factors;
    for (bundle const& joint : make_bundles(maker, group.conditions)) {
        std::uint32_t const node = maker.make(joint);
        if (budget.is_spent || node == never_node) return {};
        if (node != always_node) factors.push_back({node, maker.levels_of(joint)});
    }
    tree_product product(std::move(factors), maker.order(), domains, maker.store(), budget);
    if (!product.grow_all() || budget.is_spent) return {};
    return std::move(product).take();
}

} // namespace attune::inline ATTUNE_ABI::detail
