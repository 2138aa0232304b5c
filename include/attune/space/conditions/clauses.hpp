// attune/space/conditions/clauses.hpp - a condition as clauses; a clause is a disjunction over values of parameters.
// SPDX-License-Identifier: MIT
//
// A list of forbidden configurations, `x != i` and `x in [...]` are clauses. The cost of clauses is
// their size, because the diagram of clauses (diagram/diagram_builder.hpp) visits a clause only
// where it is open.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/place_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The places in a parameter's domain where a clause stays open; at all other places it holds.
struct clause_part {
    std::uint32_t parameter = 0;
    place_runs open;

    [[nodiscard]] friend auto operator<=>(clause_part const&, clause_part const&) = default;
};

/// A disjunction of parts, one for each parameter: it holds if any part holds.
using clause = std::vector<clause_part>;

/// A conjunction of clauses, or its negation.
struct clause_list {
    std::vector<clause> clauses;
    bool is_negated = false;
};

/// Returns true if `c` has enough terms to be read as clauses.
/// Cost  one visit per node
[[nodiscard]] inline bool is_long(description const& space, condition const& c)
{
    constexpr std::size_t many = 256;
    if (c.root == no_index) return false;
    std::size_t nodes = 0;
    if (c.also.empty()) walk_expression(space, c.root, [&](expression_node const&) { ++nodes; });
    return !c.also.empty() || nodes >= many;
}

/// Reads conditions as clauses over the domains.
class clause_reader {
public:
    /// The references must outlive this object.
    clause_reader(description const& space, std::vector<domain> const& domains)
        : space_(space)
        , domains_(domains)
        , read_(space)
        , at_(first_values(space, domains))
        , places_(space, domains)
    {
    }

    /// The clauses of `c`. Nothing if a term reads several parameters, or may have no value.
    /// Cost  n log n in the terms; a term that is no comparison with a constant: its parameter's values
    [[nodiscard]] std::optional<clause_list> read(condition const& c)
    {
        if (c.root == no_index) return std::nullopt;
        std::vector<std::uint32_t> roots{c.root};
        roots.insert(roots.end(), c.also.begin(), c.also.end());
        // `A == 1 and B == 2 or ...` is short as the negation of many clauses, long as one clause.
        bool const is_any = space_.nodes[c.root].code == op::logical_or;
        for (bool const negated : {is_any, !is_any}) {
            if (negated && roots.size() > 1) continue;
            clause_list out;
            out.is_negated = negated;
            size_ = 0;
            bool fits = true;
            for (std::size_t i = 0; fits && i < roots.size(); ++i)
                fits = conjunction({roots[i], negated}, out.clauses);
            if (!fits) continue;
            std::sort(out.clauses.begin(), out.clauses.end());
            out.clauses.erase(std::unique(out.clauses.begin(), out.clauses.end()),
                              out.clauses.end());
            return out;
        }
        return std::nullopt;
    }

private:
    using term = std::pair<std::uint32_t, bool>; // node, negated
    /// The most runs in all clauses together; more would take too much memory.
    static constexpr std::size_t most_runs = std::size_t{1} << 22U;
    /// The most clauses that one disjunction of conjunctions becomes.
    static constexpr std::size_t most_products = 64;

    /// Calls `leaf(term)` for the operands of nested `wanted` below `root`, with `not` moved
    /// inwards.
    template <class Leaf>
    bool divide(term const& root, op wanted, Leaf const& leaf)
    {
        std::vector<term> open{root};
        while (!open.empty()) {
            auto const [node, is_negated] = open.back();
            open.pop_back();
            expression_node const& n = space_.nodes[node];
            op const other = wanted == op::logical_and ? op::logical_or : op::logical_and;
            if (n.code == op::logical_not)
                open.emplace_back(n.first, !is_negated);
            else if (n.code == (is_negated ? other : wanted)) {
                open.emplace_back(n.second, is_negated);
                open.emplace_back(n.first, is_negated);
            } else if (!leaf(term{node, is_negated}))
                return false;
        }
        return true;
    }

    /// Appends the clauses of `root`. @return false if a term is none of one parameter
    bool conjunction(term const& root, std::vector<clause>& out)
    {
        return divide(root, op::logical_and, [&](term const& one) {
            std::vector<clause> products(1);
            bool holds = false;
            bool const fits = divide(one, op::logical_or, [&](term const& literal) {
                return multiply(literal, products, holds);
            });
            if (!fits) return false;
            if (holds) return true;
            for (clause& made : products) {
                std::sort(made.begin(), made.end());
                for (clause_part const& p : made)
                    size_ += p.open.size();
                out.push_back(std::move(made));
            }
            return size_ <= most_runs;
        });
    }

    /// Adds a term of a disjunction to each of `products`; a conjunction multiplies them.
    /// @param holds  set if the term holds everywhere
    bool multiply(term const& literal, std::vector<clause>& products, bool& holds)
    {
        std::uint32_t parameter = no_index;
        bool is_one = true;
        walk_expression(space_, literal.first, [&](expression_node const& node) {
            if (!names_parameter(node.code) || domains_[node.subject].size() <= 1) return;
            is_one = is_one && (parameter == no_index || parameter == node.subject);
            parameter = node.subject;
        });
        if (!is_one) {
            if (!is_chain(space_.nodes[literal.first].code)) return false;
            std::vector<clause> factors;
            if (!conjunction(literal, factors)) return false;
            if (factors.size() * products.size() > most_products) return false;
            std::vector<clause> made;
            for (clause const& a : products)
                for (clause const& b : factors) {
                    made.push_back(a);
                    for (clause_part const& part : b)
                        add(part, made.back());
                }
            holds = holds || factors.empty();
            products = std::move(made);
            return true;
        }
        if (parameter == no_index) {
            std::optional<number> const v = read_.value(literal.first, at_);
            holds = holds || (v && (v->as_real() != 0) != literal.second);
            return v.has_value();
        }
        auto const open = places_.where(parameter, literal.first, !literal.second);
        if (!open) return false;
        for (clause& made : products)
            add({parameter, *open}, made);
        return true;
    }

    /// Adds the alternative `part` to a clause.
    void add(clause_part const& part, clause& to) const
    {
        auto const known = std::find_if(to.begin(), to.end(), [&](clause_part const& p) {
            return p.parameter == part.parameter;
        });
        if (known == to.end()) {
            to.push_back(part);
            return;
        }
        std::uint32_t const size = domains_[part.parameter].size();
        place_runs holds = complement(known->open, size);
        place_runs const others = complement(part.open, size);
        holds.insert(holds.end(), others.begin(), others.end());
        known->open = complement(united(std::move(holds)), size);
    }

    description const& space_;
    std::vector<domain> const& domains_;
    evaluator read_;
    point at_;
    place_reader places_;
    std::size_t size_ = 0;
};

/// The clauses of `c` if it is long and can be read as clauses.
[[nodiscard]] inline std::optional<clause_list>
long_clauses(description const& space, condition const& c, std::vector<domain> const& domains)
{
    if (!is_long(space, c)) return std::nullopt;
    return clause_reader(space, domains).read(c);
}

/// Joins conditions that are clauses over many scopes, such as a list of forbidden combinations of
/// some of the parameters, if they have far more scopes than parameters. One diagram then has them
/// all; the product of a diagram for each scope costs far more, unless most settings of the
/// parameters are never visited.
inline void join_dense(description const& space, std::vector<condition>& conditions,
                       std::vector<domain> const& domains)
{
    constexpr std::size_t many = 64;
    constexpr std::size_t many_per_parameter = 4;
    constexpr double most_settings = 16'777'216;
    if (conditions.size() < many) return;
    clause_reader reader(space, domains);
    std::vector<std::size_t> joined;
    std::vector<std::uint32_t> scope;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        condition const& c = conditions[i];
        if (c.scope.size() < 2 || !reader.read(c)) continue;
        joined.push_back(i);
        scope.insert(scope.end(), c.scope.begin(), c.scope.end());
    }
    sort_unique(scope);
    if (joined.size() < std::max(many, many_per_parameter * scope.size())) return;
    double settings = 1;
    for (std::uint32_t const p : scope)
        settings *= static_cast<double>(domains[p].size());
    if (settings > most_settings) return;
    condition& all = conditions[joined.front()];
    all.scope = std::move(scope);
    for (std::size_t k = 1; k < joined.size(); ++k) {
        condition& one = conditions[joined[k]];
        all.also.push_back(one.root);
        all.also.insert(all.also.end(), one.also.begin(), one.also.end());
        one.scope.clear();
    }
    std::size_t next = 1;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (next < joined.size() && joined[next] == i) {
            ++next;
            continue;
        }
        if (kept != i) conditions[kept] = std::move(conditions[i]);
        ++kept;
    }
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(kept), conditions.end());
}

} // namespace attune::inline ATTUNE_ABI::detail
