// attune/space/diagram/clause_diagram.hpp - the decision diagram of clauses.
// SPDX-License-Identifier: MIT
// tested by space/conditions/clauses.cpp
//
// Depth first; a state is the set of clauses that are still open, so equal sets are expanded once.
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/diagram/diagram.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Builds the nodes of one list of clauses in a store.
class clause_diagram {
public:
    /// @param level_of  level in `store` of each parameter
    /// The references must outlive this object.
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

    /// The part of clause `c` on `level` or the first one below; nullptr: there is none.
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
        auto const [known, is_new] = known_[level].try_emplace(open, never_node);
        if (!is_new) return known->second;
        std::size_t const count = store_.size_of(level);
        std::vector<std::vector<std::uint32_t>> here(count); // value -> clauses that stay open
        std::vector<std::uint32_t> below;                    // those without a part on this level
        std::uint64_t work = count;
        for (std::uint32_t const c : open) {
            part const& p = *next(c, level);
            if (p.first != level) {
                below.push_back(c);
                continue;
            }
            work += p.second->open.size();
            for (std::uint32_t const v : p.second->open)
                here[v].push_back(c);
        }
        budget_.spend_bytes(2 * sizeof(std::uint32_t) * open.size() + state_bytes);
        if (!budget_.spend_visits(work)) return never_node;
        std::vector<std::uint32_t> children(count, no_index);
        std::uint32_t of_below = no_index;
        for (std::size_t v = 0; v < count; ++v) {
            if (!here[v].empty()) {
                std::vector<std::uint32_t> both;
                std::merge(here[v].begin(), here[v].end(), below.begin(), below.end(),
                           std::back_inserter(both));
                children[v] = expand(both, level + 1);
            } else {
                if (of_below == no_index) of_below = expand(below, level + 1);
                children[v] = of_below;
            }
            if (budget_.is_spent) return never_node;
        }
        return known->second = store_.add(level, children);
    }

    std::uint32_t all_hold_;
    std::uint32_t one_fails_;
    diagram_store& store_;
    effort& budget_;
    std::vector<std::vector<part>> clauses_;                                 // by level
    std::vector<std::map<std::vector<std::uint32_t>, std::uint32_t>> known_; // by level: set, node
};

} // namespace attune::inline ATTUNE_ABI::detail
