// attune/space/diagram/diagram_maker.hpp - makes diagrams of conditions for one order of parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/domain.hpp>
#include <attune/space/diagram/clause_diagram.hpp>
#include <attune/space/diagram/constraint_program.hpp>
#include <attune/space/diagram/diagram.hpp>
#include <attune/space/diagram/diagram_builder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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

    /// The node of the conjunction of `conditions`. Predicates are called where the others hold.
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

} // namespace attune::inline ATTUNE_ABI::detail
