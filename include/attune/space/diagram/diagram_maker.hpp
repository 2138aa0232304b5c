// attune/space/diagram/diagram_maker.hpp - builds the diagrams of conditions for one order of parameters, and selects those that share one.
// SPDX-License-Identifier: MIT
// Source   own: a condition joins another condition that reads all its parameters, if no level then
//          needs more values; the joined diagram does not visit settings that one of them refuses
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/clause_diagram.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
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

/// Builds the nodes of one program in a store, depth first. A state is the set of values that lower
/// levels need. The builder expands equal states once. Bounds may decide a state early. If a needed
/// value has a trend, a state between two states of one node has that node, too.
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

/// Makes diagrams for one order of parameters.
class diagram_maker {
public:
    diagram_maker(description const& space, std::vector<domain> const& domains,
                  std::vector<std::uint32_t> order, effort& budget)
        : space_(space)
        , domains_(domains)
        , order_(std::move(order))
        , budget_(budget)
        , base_(first_values(space, domains))
        , store_(sizes(), budget)
    {
    }

    [[nodiscard]] diagram_store& store() noexcept { return store_; }
    [[nodiscard]] std::vector<std::uint32_t> const& order() const noexcept { return order_; }

    /// The levels of the parameters that `conditions` read, ascending.
    [[nodiscard]] std::vector<std::size_t>
    levels_of(std::span<condition const* const> conditions) const
    {
        std::vector<std::size_t> out;
        for (std::size_t l = 0; l < order_.size(); ++l)
            for (condition const* c : conditions)
                if (std::binary_search(c->scope.begin(), c->scope.end(), order_[l])) {
                    out.push_back(l);
                    break;
                }
        return out;
    }

    /// The program of `conditions`; parameters outside the order keep their first value.
    [[nodiscard]] constraint_program program_of(std::span<condition const* const> conditions) const
    {
        std::vector<std::uint32_t> read;
        for (std::size_t const l : levels_of(conditions))
            read.push_back(order_[l]);
        return constraint_program(space_, domains_, read, base_, conditions);
    }

    [[nodiscard]] bool is_long(condition const& c) const { return detail::is_long(space_, c); }

    /// The node of the conjunction of `conditions`. Calls predicates only where the others hold.
    std::uint32_t make(std::span<condition const* const> conditions)
    {
        bool const calls = std::any_of(conditions.begin(), conditions.end(),
                                       [](auto const* c) { return c->root == no_index; });
        std::vector<condition const*> short_ones;
        std::uint32_t node = always_node;
        for (condition const* c : conditions) {
            auto const clauses = calls ? std::nullopt : long_clauses(space_, *c, domains_);
            if (clauses)
                node = store_.both(node, clause_node(*clauses));
            else
                short_ones.push_back(c);
        }
        if (short_ones.empty() && !conditions.empty()) return node;
        return store_.both(node, make_by_program(short_ones));
    }

private:
    std::uint32_t clause_node(clause_list const& from)
    {
        std::vector<std::size_t> level_of(space_.parameters.size(), 0);
        for (std::size_t l = 0; l < order_.size(); ++l)
            level_of[order_[l]] = l;
        if (dense_clause_diagram::is_cheap(from, store_))
            return dense_clause_diagram(from, level_of, store_, budget_).build();
        return clause_diagram(from, level_of, store_, budget_).build();
    }

    std::uint32_t make_by_program(std::span<condition const* const> conditions)
    {
        std::vector<std::size_t> const levels = levels_of(conditions);
        constraint_program program = program_of(conditions);
        return diagram_builder(space_, program, levels, base_, store_, budget_).build();
    }

    [[nodiscard]] std::vector<std::size_t> sizes() const
    {
        std::vector<std::size_t> out;
        for (std::uint32_t const p : order_)
            out.push_back(domains_[p].size());
        return out;
    }

    description const& space_;
    std::vector<domain> const& domains_;
    std::vector<std::uint32_t> order_;
    effort& budget_;
    point base_;
    diagram_store store_;
};

/// Conditions that become one node.
using bundle = std::vector<condition const*>;

/// Returns true if the states of `more` distinguish no more settings than those of `fewer`.
/// @pre  the conditions of `fewer` are the first ones of `more`
[[nodiscard]] inline bool needs_no_more(constraint_program const& more,
                                        constraint_program const& fewer)
{
    for (std::size_t l = 0; l < fewer.levels().size(); ++l) {
        program_level const& a = more.levels()[l];
        program_level const& b = fewer.levels()[l];
        if (a.needed != b.needed) return false;
        if (a.threshold == b.threshold || b.threshold == no_index) continue;
        // Without a threshold, each value is a state. A parameter alone has few values.
        for (std::uint32_t const s : b.needed)
            if (!fewer.slots()[s].is_known) return false;
    }
    return true;
}

/// Divides the conditions of a group into bundles.
/// Cost  one program per pair of conditions of which one reads all parameters of the other
[[nodiscard]] inline std::vector<bundle> make_bundles(diagram_maker const& maker,
                                                      std::span<condition const> conditions)
{
    // A long condition has its own diagram, because a program of it and others costs too much.
    std::set<condition const*> alone;
    for (condition const& c : conditions)
        if (maker.is_long(c)) alone.insert(&c);
    auto const is_part_of = [&](condition const& a, condition const& b) {
        if (&a != &b && b.root != no_index && (alone.contains(&a) || alone.contains(&b)))
            return false;
        return &a != &b && a.root != no_index &&
               std::includes(b.scope.begin(), b.scope.end(), a.scope.begin(), a.scope.end());
    };
    bundle by_scope;
    for (condition const& c : conditions)
        by_scope.push_back(&c);
    std::sort(by_scope.begin(), by_scope.end(), [](auto const* a, auto const* b) {
        return a->scope.size() != b->scope.size() ? a->scope.size() > b->scope.size() : a < b;
    });
    std::vector<bundle> out;
    std::vector<bool> is_told(by_scope.size(), false);
    for (std::size_t i = 0; i < by_scope.size(); ++i) {
        if (is_told[i]) continue;
        bundle made{by_scope[i]};
        bool const is_called = made.front()->root == no_index;
        for (std::size_t k = is_called ? 0 : i + 1; k < by_scope.size(); ++k) {
            if (!is_part_of(*by_scope[k], *made.front())) continue;
            bundle more = made;
            more.push_back(by_scope[k]);
            // Predicates always join the other conditions, which refuse settings before a call.
            if (!is_called) {
                if (!needs_no_more(maker.program_of(more), maker.program_of(made))) continue;
                is_told[k] = true;
            }
            made = std::move(more);
        }
        out.push_back(std::move(made));
    }
    // The order of declaration finds contradictions early.
    std::sort(out.begin(), out.end(),
              [](bundle const& a, bundle const& b) { return a.front() < b.front(); });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
