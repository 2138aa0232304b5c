// attune/space/diagram/diagram_builder.hpp - builds the decision diagrams of conditions.
// SPDX-License-Identifier: MIT
//
// Depth first. A state is the set of values that lower levels need. The builder expands equal
// states once. Bounds may decide a state early. If a needed value has a trend, a state between two
// states of one node has that node, too.
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Nodes by the value of a threshold, ascending. Of a run of values with one node, only the ends
/// are stored.
class threshold_index {
public:
    /// The position of `value`, and its node, or no_index if the neighbours do not decide it.
    [[nodiscard]] std::pair<std::size_t, std::uint32_t> find(std::int64_t value) const
    {
        auto const at = std::lower_bound(nodes_.begin(), nodes_.end(), value,
                                         [](auto const& e, auto v) { return e.first < v; });
        std::size_t const place = static_cast<std::size_t>(at - nodes_.begin());
        if (at == nodes_.end()) return {place, no_index};
        bool const between = place > 0 && nodes_[place - 1].second == at->second;
        return {place, at->first == value || between ? at->second : no_index};
    }
    /// @pre `place` is from find(value), which found no node
    void insert(std::size_t place, std::int64_t value, std::uint32_t node)
    {
        if (place >= 2 && nodes_[place - 1].second == node && nodes_[place - 2].second == node)
            nodes_[place - 1].first = value;
        else if (place + 1 < nodes_.size() && nodes_[place].second == node &&
                 nodes_[place + 1].second == node)
            nodes_[place].first = value;
        else
            nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(place), {value, node});
    }

private:
    std::vector<std::pair<std::int64_t, std::uint32_t>> nodes_;
};

/// Builds the nodes of one program in a store.
class diagram_builder {
public:
    /// @param store_level  level in `store` of each level of `program`, ascending
    /// All references must outlive this object.
    diagram_builder(description const& space, constraint_program& program,
                    std::vector<std::size_t> const& store_level, point base, diagram_store& store,
                    effort& budget)
        : program_(program)
        , slots_(program.slots())
        , state_(space, program, std::move(base))
        , store_level_(store_level)
        , store_(store)
        , budget_(budget)
    {
        for (std::size_t l = 0; l < program.levels().size(); ++l) {
            program_level const& plan = program.levels()[l];
            level made;
            made.children.resize(slots_.sizes()[l]);
            std::size_t width = plan.needed.size() - (plan.threshold == no_index ? 0 : 1);
            for (std::uint32_t const s : plan.needed)
                width += slots_[s].about.may_fail ? std::size_t{1} : std::size_t{0};
            made.key.resize(width);
            made.states = key_table<std::int64_t>(made.key.size());
            levels_.push_back(std::move(made));
        }
    }

    /// The node of all conditions; undefined once the budget is spent.
    std::uint32_t build()
    {
        if (!state_.constants_hold()) return never_node;
        if (levels_.empty()) return always_node;
        return expand(0);
    }

private:
    // Twice the sizes, because vectors have spare capacity.
    static constexpr std::uint64_t state_bytes = 80;
    static constexpr std::uint64_t threshold_bytes = 32;

    struct level {
        std::vector<std::uint32_t> children;
        std::vector<std::int64_t> key;
        key_table<std::int64_t> states;
        std::vector<std::uint32_t> nodes;        // number of a state -> its node
        std::vector<threshold_index> thresholds; // used if there is a threshold
    };

    std::uint32_t expand(std::size_t l)
    {
        level& here = levels_[l];
        if (!budget_.spend_visits(here.children.size())) return never_node;
        state_.compute(l);
        state_.test(l, here.children);
        bool had_node = false;
        for (std::size_t v = 0; l + 1 < levels_.size() && v < here.children.size(); ++v) {
            if (here.children[v] == never_node) {
                had_node = false;
                continue;
            }
            bool const same = state_.take(l, v);
            here.children[v] = same && had_node ? here.children[v - 1] : below(l);
            had_node = true;
            if (budget_.is_spent) return never_node;
        }
        return store_.add(store_level_[l], here.children);
    }

    /// The node below level `l`, for the present values that lower levels need.
    std::uint32_t below(std::size_t l)
    {
        level& here = levels_[l];
        program_level const& plan = program_.levels()[l];
        std::size_t k = 0;
        for (std::uint32_t i = 0; i < plan.needed.size(); ++i)
            if (i != plan.threshold) here.key[k++] = state_.now(plan.needed[i]);
        for (std::uint32_t const s : plan.needed)
            if (slots_[s].about.may_fail) here.key[k++] = state_.has_failed(s) ? 1 : 0;
        auto const [state, is_new] = here.states.number_of(here.key);
        if (is_new) budget_.spend_bytes(2 * sizeof here.key[0] * here.key.size() + state_bytes);
        if (plan.threshold == no_index) {
            if (is_new) here.nodes.push_back(never_node);
            if (is_new) here.nodes[state] = decide(l);
            return here.nodes[state];
        }
        if (is_new) here.thresholds.emplace_back();
        std::int64_t const value = state_.now(plan.needed[plan.threshold]);
        auto const [place, known] = here.thresholds[state].find(value);
        if (known != no_index) return known;
        std::uint32_t const node = decide(l);
        budget_.spend_bytes(threshold_bytes);
        here.thresholds[state].insert(place, value, node);
        return node;
    }

    /// The node at level `l`: by bounds if they decide, else by the values of the level.
    std::uint32_t decide(std::size_t l)
    {
        std::uint32_t const known = state_.decide(l);
        return known != no_index ? known : expand(l + 1);
    }

    constraint_program& program_;
    slot_table const& slots_;
    program_state state_;
    std::vector<std::size_t> const& store_level_;
    diagram_store& store_;
    effort& budget_;
    std::vector<level> levels_;
};

} // namespace attune::inline ATTUNE_ABI::detail
