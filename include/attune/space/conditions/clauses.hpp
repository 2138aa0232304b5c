// attune/space/conditions/clauses.hpp - a condition as clauses; a clause is a disjunction over values of parameters.
// SPDX-License-Identifier: MIT
//
// A list of forbidden configurations, `x != i` and `x in [...]` are clauses. The cost of clauses is
// their size, because the diagram of clauses (diagram/diagram_maker.hpp) visits a clause only
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

    /// Makes read() refuse a term of a parameter with more than few_places values, unless the term
    /// is a comparison or a remainder.
    void be_quick() { places_.be_quick(few_places); }
    /// Number of places visited one by one.
    [[nodiscard]] std::uint64_t visits() const noexcept { return places_.visits(); }

    /// The clauses of `c`. Nothing if a term reads several parameters, or may have no value.
    /// Cost  n log n in the terms, and the values of the parameter of each term that is no
    ///       comparison with a constant
    [[nodiscard]] std::optional<clause_list> read(condition const& c)
    {
        if (c.root == no_index) return std::nullopt;
        // `A == 1 and B == 2 or ...` is the negation of one short clause per operand of `or`. As
        // clauses, it is the product of its operands.
        bool const is_any = c.also.empty() && space_.nodes[c.root].code == op::logical_or;
        std::optional<clause_list> out = read(c, is_any);
        if (!out && c.also.empty()) out = read(c, !is_any);
        return out;
    }

    /// The clauses of `c` as a conjunction, or as the negation of one if `negated`.
    /// @pre  `c` has a root, and no others if `negated`
    [[nodiscard]] std::optional<clause_list> read(condition const& c, bool negated)
    {
        clause_list out;
        out.is_negated = negated;
        size_ = 0;
        if (!conjunction({c.root, negated}, out.clauses)) return std::nullopt;
        for (std::uint32_t const root : c.also)
            if (!conjunction({root, negated}, out.clauses)) return std::nullopt;
        std::sort(out.clauses.begin(), out.clauses.end());
        out.clauses.erase(std::unique(out.clauses.begin(), out.clauses.end()), out.clauses.end());
        return out;
    }
    /// The runs in all clauses of the last read.
    [[nodiscard]] std::size_t runs() const noexcept { return size_; }

    /// Returns true if each term of `c` reads at most one parameter with several values. read() may
    /// still refuse `c`.
    /// Cost  one visit per node
    [[nodiscard]] bool has_short_terms(condition const& c) const
    {
        std::vector<std::uint32_t> open = c.also;
        open.push_back(c.root);
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            open.pop_back();
            expression_node const& n = space_.nodes[at];
            if (is_chain(n.code))
                open.insert(open.end(), {n.first, n.second});
            else if (n.code == op::logical_not)
                open.push_back(n.first);
            else if (!parameter_of(at))
                return false;
        }
        return true;
    }

    /// The most runs in all clauses together; more would take too much memory.
    static constexpr std::size_t most_runs = std::size_t{1} << 22U;

private:
    using term = std::pair<std::uint32_t, bool>; // node, negated
    static constexpr std::uint32_t few_places = 256;
    /// The most clauses that one disjunction of conjunctions becomes.
    static constexpr std::size_t most_products = 64;

    /// The only parameter with several values below `node`, or no_index; nothing if it reads more.
    [[nodiscard]] std::optional<std::uint32_t> parameter_of(std::uint32_t node) const
    {
        std::uint32_t parameter = no_index;
        bool is_one = true;
        walk_expression(space_, node, [&](expression_node const& n) {
            if (!names_parameter(n.code) || domains_[n.subject].size() <= 1) return;
            is_one = is_one && (parameter == no_index || parameter == n.subject);
            parameter = n.subject;
        });
        return is_one ? std::optional(parameter) : std::nullopt;
    }

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

    /// Appends the clauses of `root`. @return false if a term reads several parameters or may have
    /// no value, or if the clauses are too many
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

    /// Adds a term of a disjunction to each of `products`. If the term is a conjunction, adds each
    /// of its clauses to each product.
    /// @param holds  set if the term holds everywhere
    /// @return       as conjunction()
    bool multiply(term const& literal, std::vector<clause>& products, bool& holds)
    {
        std::optional<std::uint32_t> const parameter = parameter_of(literal.first);
        if (!parameter) {
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
        if (*parameter == no_index) {
            std::optional<number> const v = read_.value(literal.first, at_);
            holds = holds || (v && (v->as_real() != 0) != literal.second);
            return v.has_value();
        }
        auto const open = places_.where(*parameter, literal.first, !literal.second);
        if (!open) return false;
        for (clause& made : products)
            add({*parameter, *open}, made);
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

/// The clauses of `c`; nothing if `c` is short or clause_reader refuses it.
[[nodiscard]] inline std::optional<clause_list>
long_clauses(description const& space, condition const& c, std::vector<domain> const& domains)
{
    if (!is_long(space, c)) return std::nullopt;
    return clause_reader(space, domains).read(c);
}

/// The fewest conditions that are joined.
inline constexpr std::size_t fewest_joined = 64;

/// The conditions `chosen` as connected sets, each with far more members than parameters, without
/// the sets whose parameters have too many settings.
[[nodiscard]] inline std::vector<std::vector<std::size_t>>
dense_sets(std::vector<condition> const& conditions, std::vector<domain> const& domains,
           std::vector<std::size_t> const& chosen)
{
    constexpr std::size_t many_per_parameter = 4;
    constexpr double most_settings = 16'777'216;
    struct set {
        std::vector<std::size_t> members;
        std::size_t parameters = 0;
        double settings = 1;
    };
    std::vector<std::vector<std::size_t>> out;
    if (chosen.size() < fewest_joined) return out;
    partition same(domains.size());
    std::vector<bool> is_read(domains.size(), false);
    std::vector<std::uint32_t> first; // the first parameter of each chosen condition
    for (std::size_t const i : chosen) {
        std::vector<std::uint32_t> const scope = open_scope(conditions[i], domains);
        first.push_back(scope.front());
        for (std::uint32_t const p : scope) {
            same.unite(scope.front(), p);
            is_read[p] = true;
        }
    }
    std::vector<set> sets(domains.size()); // by the first parameter
    for (std::uint32_t p = 0; p < domains.size(); ++p)
        if (is_read[p]) {
            set& of = sets[same.find(p)];
            ++of.parameters;
            of.settings *= static_cast<double>(domains[p].size());
        }
    for (std::size_t k = 0; k < chosen.size(); ++k)
        sets[same.find(first[k])].members.push_back(chosen[k]);
    for (set& one : sets)
        if (one.members.size() >= std::max(fewest_joined, many_per_parameter * one.parameters) &&
            one.settings <= most_settings)
            out.push_back(std::move(one.members));
    return out;
}

/// Joins connected conditions that are clauses, if they have far more scopes than parameters: a
/// list of forbidden combinations of some parameters, for example. The joined condition has one
/// diagram. The product of a diagram for each scope costs far more, unless it visits few settings.
/// Cost    one visit per node; n log n in the terms of connected sets that may be joined
/// @return number of places visited one by one
inline std::uint64_t join_dense(description const& space, std::vector<condition>& conditions,
                                std::vector<domain> const& domains)
{
    if (conditions.size() < fewest_joined) return 0;
    clause_reader reader(space, domains);
    reader.be_quick();
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions[i].root != no_index && open_scope(conditions[i], domains).size() > 1 &&
            reader.has_short_terms(conditions[i]))
            candidates.push_back(i);
    std::vector<std::size_t> read;
    std::vector<std::size_t> runs(conditions.size(), 0);
    for (auto const& set : dense_sets(conditions, domains, candidates))
        for (std::size_t const i : set)
            if (reader.read(conditions[i], false)) {
                read.push_back(i);
                runs[i] = reader.runs();
            }
    std::vector<bool> is_joined(conditions.size(), false);
    for (auto const& set : dense_sets(conditions, domains, read)) {
        condition& all = conditions[set.front()];
        std::size_t sum = runs[set.front()];
        for (std::size_t k = 1; k < set.size(); ++k) {
            condition const& one = conditions[set[k]];
            sum += runs[set[k]];
            if (sum > clause_reader::most_runs) break;
            all.also.push_back(one.root);
            all.also.insert(all.also.end(), one.also.begin(), one.also.end());
            all.scope.insert(all.scope.end(), one.scope.begin(), one.scope.end());
            is_joined[set[k]] = true;
        }
        sort_unique(all.scope);
    }
    erase_joined(conditions, is_joined);
    return reader.visits();
}

} // namespace attune::inline ATTUNE_ABI::detail
