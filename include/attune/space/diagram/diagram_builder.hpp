// attune/space/diagram/diagram_builder.hpp - builds the decision diagrams of conditions and of clauses.
// SPDX-License-Identifier: MIT
//
// Depth first. A state is the set of values that lower levels need; equal states are expanded once.
// Bounds decide a state early. If a needed value has a trend, a state between two states of one
// node has that node too.
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Builds the nodes of one list of clauses in a store, depth first. A state is the set of clauses
/// that are still open, so equal sets are expanded once.
class clause_diagram {
public:
    /// @param level_of  level in `store` of each parameter
    /// All references must outlive this object.
    clause_diagram(clause_list const& from, std::vector<std::size_t> const& level_of,
                   diagram_store& store, effort& budget)
        : all_hold_(from.is_negated ? never_node : always_node)
        , one_fails_(from.is_negated ? always_node : never_node)
        , store_(store)
        , budget_(budget)
        , known_(store.level_count())
    {
        for (clause const& c : from.clauses) {
            std::vector<part> parts;
            for (clause_part const& p : c)
                parts.emplace_back(level_of[p.parameter], &p);
            std::sort(parts.begin(), parts.end());
            clauses_.push_back(std::move(parts));
        }
    }

    /// The node of all clauses. Undefined once the budget is spent.
    /// Cost  the clauses' open places, for each set of open clauses that occurs
    std::uint32_t build()
    {
        std::vector<std::uint32_t> all;
        for (std::uint32_t c = 0; c < clauses_.size(); ++c)
            all.push_back(c);
        return expand(all, 0);
    }

private:
    using part = std::pair<std::size_t, clause_part const*>; // level, its part
    static constexpr std::uint64_t state_bytes = 96;

    /// The first value at which a clause is open, or no longer.
    struct edge {
        std::uint32_t at = 0;
        std::uint32_t clause = 0;
        bool opens = false;

        [[nodiscard]] friend auto operator<=>(edge const&, edge const&) = default;
    };

    /// The part of clause `c` on `level`, or the first one below; nullptr if there is none.
    [[nodiscard]] part const* next(std::uint32_t c, std::size_t level) const
    {
        for (part const& p : clauses_[c])
            if (p.first >= level) return &p;
        return nullptr;
    }

    /// The node of the open clauses, with the levels above `from` set.
    std::uint32_t expand(std::vector<std::uint32_t> const& open, std::size_t from)
    {
        if (open.empty()) return all_hold_;
        std::size_t level = store_.level_count();
        for (std::uint32_t const c : open) {
            part const* const p = next(c, from);
            if (p == nullptr) return one_fails_;
            level = std::min(level, p->first);
        }
        if (auto const known = known_[level].find(open); known != known_[level].end())
            return known->second;
        budget_.spend_bytes(2 * sizeof(std::uint32_t) * open.size() + state_bytes);
        if (!budget_.spend_visits(store_.size_of(level) + open.size())) return never_node;
        std::uint32_t const made =
            level + 1 == store_.level_count() ? node_of_last(open, level) : node_of(open, level);
        if (!budget_.is_spent) known_[level].emplace(open, made);
        return made;
    }

    /// The node on the last level: it fails at all values at which a clause is open.
    std::uint32_t node_of_last(std::vector<std::uint32_t> const& open, std::size_t level)
    {
        std::size_t const count = store_.size_of(level);
        std::vector<std::int32_t> change(count + 1, 0); // of the number of open clauses
        for (std::uint32_t const c : open)
            for (place_run const& run : clauses_[c].back().second->open) {
                ++change[run.first];
                --change[run.end];
            }
        std::vector<std::uint32_t> children(count);
        std::int32_t now = 0;
        for (std::size_t v = 0; v < count; ++v) {
            now += change[v];
            children[v] = now > 0 ? one_fails_ : all_hold_;
        }
        return store_.add(level, children);
    }

    /// The node on a level with others below.
    std::uint32_t node_of(std::vector<std::uint32_t> const& open, std::size_t level)
    {
        std::size_t const count = store_.size_of(level);
        std::vector<edge> edges;          // where a clause starts or ends to be open
        std::vector<std::uint32_t> below; // clauses without a part on this level
        for (std::uint32_t const c : open) {
            part const& p = *next(c, level);
            if (p.first != level) {
                below.push_back(c);
                continue;
            }
            for (place_run const& run : p.second->open) {
                edges.push_back({run.first, c, true});
                edges.push_back({run.end, c, false});
            }
        }
        std::sort(edges.begin(), edges.end());
        if (!budget_.spend_visits(edges.size())) return never_node;
        std::vector<std::uint32_t> children(count, no_index);
        std::uint32_t of_below = no_index;
        std::vector<std::uint32_t> here; // clauses that are open at the present values, ascending
        std::size_t last_ones = 0;       // ... and have no further part
        std::size_t e = 0;
        for (std::size_t v = 0; v < count;) {
            for (; e < edges.size() && edges[e].at == v; ++e) {
                std::uint32_t const c = edges[e].clause;
                std::size_t const is_last = clauses_[c].back().first == level ? 1 : 0;
                auto const at = std::lower_bound(here.begin(), here.end(), c);
                if (edges[e].opens)
                    here.insert(at, c);
                else
                    here.erase(at);
                last_ones = edges[e].opens ? last_ones + is_last : last_ones - is_last;
            }
            std::size_t const end = e < edges.size() ? edges[e].at : count;
            std::uint32_t child = one_fails_;
            if (here.empty()) {
                if (of_below == no_index) of_below = expand(below, level + 1);
                child = of_below;
            } else if (last_ones == 0) {
                std::vector<std::uint32_t> both;
                both.reserve(here.size() + below.size());
                std::merge(here.begin(), here.end(), below.begin(), below.end(),
                           std::back_inserter(both));
                child = expand(both, level + 1);
            }
            if (budget_.is_spent) return never_node;
            std::fill(children.begin() + static_cast<std::ptrdiff_t>(v),
                      children.begin() + static_cast<std::ptrdiff_t>(end), child);
            v = end;
        }
        return store_.add(level, children);
    }

    /// The hash of a set of clauses.
    struct set_hash {
        [[nodiscard]] std::size_t operator()(std::vector<std::uint32_t> const& set) const noexcept
        {
            return hash_words(std::span<std::uint32_t const>(set));
        }
    };

    std::uint32_t all_hold_;
    std::uint32_t one_fails_;
    diagram_store& store_;
    effort& budget_;
    std::vector<std::vector<part>> clauses_; // by level
    /// By level: a set of open clauses, its node.
    std::vector<std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, set_hash>> known_;
};

/// Nodes by the value of a threshold, ascending; for a run with one node only the ends are stored.
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
