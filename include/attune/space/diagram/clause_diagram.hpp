// attune/space/diagram/clause_diagram.hpp - builds the decision diagram of a list of clauses.
// SPDX-License-Identifier: MIT
// tested by space/conditions/clauses.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/place_runs.hpp>
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
    /// Cost  one step per open place of the clauses, for each set of open clauses that occurs
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

    /// The first value at which a clause is open, or is open no longer.
    struct edge {
        std::uint32_t at = 0;
        std::uint32_t clause = 0;
        bool opens = false;

        [[nodiscard]] friend auto operator<=>(edge const&, edge const&) = default;
    };

    /// The part of clause `c` on `level`, else the first part below; nullptr if it has none.
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

    /// The node on the last level. It refuses each value at which a clause is open.
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
        std::size_t last_ones = 0;       // number of clauses in `here` without a further part
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

/// A clause_diagram for clauses whose parameters have few values. A set has one bit per clause.
/// Each value of a level has the set of the clauses that it leaves open.
class dense_clause_diagram {
public:
    /// Returns true if the sets of all values take little memory, so that this class costs less.
    [[nodiscard]] static bool is_cheap(clause_list const& from, diagram_store const& store)
    {
        constexpr std::size_t most_words = std::size_t{1} << 12U;
        std::size_t values = 0;
        for (std::size_t l = 0; l < store.level_count(); ++l)
            values += store.size_of(l);
        return values * words_of(from) <= most_words;
    }

    /// Arguments as those of clause_diagram. @pre  is_cheap(from, store)
    dense_clause_diagram(clause_list const& from, std::vector<std::size_t> const& level_of,
                         diagram_store& store, effort& budget)
        : all_hold_(from.is_negated ? never_node : always_node)
        , one_fails_(from.is_negated ? always_node : never_node)
        , words_(words_of(from))
        , store_(store)
        , budget_(budget)
    {
        for (std::size_t l = 0; l < store.level_count(); ++l) {
            levels_.emplace_back();
            levels_[l].read.assign(words_, 0);
            levels_[l].done.assign(words_, 0);
            levels_[l].open.assign(words_, 0);
            levels_[l].left.assign(words_ * store.size_of(l), ~std::uint64_t{0});
            levels_[l].states = key_table<std::uint64_t>(words_);
            levels_[l].children.resize(store.size_of(l));
        }
        for (std::size_t c = 0; c < from.clauses.size(); ++c) {
            std::uint64_t const bit = std::uint64_t{1} << c % 64;
            std::size_t last = 0;
            for (clause_part const& p : from.clauses[c]) {
                level& of = levels_[level_of[p.parameter]];
                last = std::max(last, level_of[p.parameter]);
                of.read[c / 64] |= bit;
                std::size_t v = 0;
                auto const close_up_to = [&](std::size_t end) {
                    for (; v < end; ++v)
                        of.left[v * words_ + c / 64] &= ~bit;
                };
                for (place_run const& run : p.open) {
                    close_up_to(run.first);
                    v = run.end;
                }
                close_up_to(store.size_of(level_of[p.parameter]));
            }
            is_false_ = is_false_ || from.clauses[c].empty();
            levels_[last].done[c / 64] |= bit;
            levels_[0].open[c / 64] |= bit;
        }
    }

    /// The node of all clauses. Undefined once the budget is spent.
    /// Cost  one step per value and 64 clauses, for each set of open clauses that occurs
    std::uint32_t build()
    {
        if (is_false_) return one_fails_;
        return expand(0);
    }

private:
    using set = std::vector<std::uint64_t>; // one bit per clause
    static constexpr std::uint64_t state_bytes = 32;

    struct level {
        set read; // clauses with a part on this level
        set done; // clauses with their last part on this level
        set left; // for each value: clauses without a part here, or with a part that it leaves open
        set open; // the present state
        key_table<std::uint64_t> states;
        std::vector<std::uint32_t> nodes;    // number of a state -> its node
        std::vector<std::uint32_t> children; // of the present state
    };

    [[nodiscard]] static std::size_t words_of(clause_list const& from)
    {
        return (from.clauses.size() + 63) / 64;
    }

    [[nodiscard]] bool meet(std::uint64_t const* a, std::uint64_t const* b) const
    {
        for (std::size_t w = 0; w < words_; ++w)
            if ((a[w] & b[w]) != 0) return true;
        return false;
    }

    /// The node of the open clauses of level `l`.
    std::uint32_t expand(std::size_t l)
    {
        for (; l < levels_.size() && !meet(levels_[l].open.data(), levels_[l].read.data()); ++l)
            if (l + 1 < levels_.size()) levels_[l + 1].open = levels_[l].open;
        if (l == levels_.size()) return all_hold_;
        level& here = levels_[l];
        if (l + 1 == levels_.size()) return expand_last(here);
        auto const [state, is_new] = here.states.number_of(here.open);
        if (!is_new) return here.nodes[state];
        here.nodes.push_back(never_node);
        budget_.spend_bytes(2 * sizeof here.open[0] * words_ + state_bytes);
        if (!budget_.spend_visits(here.children.size())) return never_node;
        for (std::size_t v = 0; v < here.children.size(); ++v) {
            here.children[v] = v > 0 && has_same_left(here, v) ? here.children[v - 1] : below(l, v);
            if (budget_.is_spent) return never_node;
        }
        return here.nodes[state] = store_.add(l, here.children);
    }

    /// The node of the last level. Nodes of the last level are few, and cost less than a search for
    /// the state.
    std::uint32_t expand_last(level& here)
    {
        if (!budget_.spend_visits(here.children.size())) return never_node;
        for (std::size_t v = 0; v < here.children.size(); ++v)
            here.children[v] =
                meet(here.open.data(), here.left.data() + v * words_) ? one_fails_ : all_hold_;
        return store_.add(levels_.size() - 1, here.children);
    }

    /// Returns true if `v` leaves the same clauses open as the value before it.
    [[nodiscard]] bool has_same_left(level const& here, std::size_t v) const
    {
        std::uint64_t const* const left = here.left.data() + v * words_;
        for (std::size_t w = 0; w < words_; ++w)
            if (((left[w] ^ *(left + w - words_)) & here.open[w]) != 0) return false;
        return true;
    }

    /// @pre  `l` is not the last level
    std::uint32_t below(std::size_t l, std::size_t v)
    {
        level const& here = levels_[l];
        std::uint64_t const* const left = here.left.data() + v * words_;
        std::uint64_t failed = 0, any = 0;
        set& next = levels_[l + 1].open;
        for (std::size_t w = 0; w < words_; ++w) {
            std::uint64_t const open = here.open[w] & left[w];
            failed |= open & here.done[w];
            any |= open;
            next[w] = open;
        }
        if (failed != 0) return one_fails_;
        return any == 0 ? all_hold_ : expand(l + 1);
    }

    std::uint32_t all_hold_;
    std::uint32_t one_fails_;
    bool is_false_ = false; // a clause has no parts
    std::size_t words_;
    diagram_store& store_;
    effort& budget_;
    std::vector<level> levels_;
};

} // namespace attune::inline ATTUNE_ABI::detail
