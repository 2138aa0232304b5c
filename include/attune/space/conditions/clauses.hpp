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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The places in a parameter's domain where a clause stays open; at all other places it holds.
struct clause_part {
    std::uint32_t parameter = 0;
    std::vector<std::uint32_t> open; ///< ascending and unique

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
        , places_(space.parameters.size())
    {
    }

    /// The clauses of `c`. Nothing if a term reads several parameters, or may have no value.
    /// @param is_quick  nothing, too, if a term is no comparison with an integer
    /// Cost  linear in the terms; a term that is no comparison with an integer: its parameter's values
    [[nodiscard]] std::optional<clause_list> read(condition const& c, bool is_quick = false)
    {
        if (c.root == no_index) return std::nullopt;
        is_quick_ = is_quick;
        std::vector<std::uint32_t> roots{c.root};
        roots.insert(roots.end(), c.also.begin(), c.also.end());
        // `x == 1 or x == 2 ...` is short as the negation of many clauses, long as one clause.
        bool const negated_first = is_quick && space_.nodes[c.root].code == op::logical_or;
        for (bool const negated : {negated_first, !negated_first}) {
            if (negated && roots.size() > 1) continue;
            clause_list out;
            out.is_negated = negated;
            size_ = 0;
            bool fits = true;
            for (std::size_t i = 0; fits && i < roots.size(); ++i)
                fits = conjunction(roots[i], negated, out.clauses);
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
    /// The most places in all clauses together; more would take too much memory.
    static constexpr std::size_t most_places = std::size_t{1} << 24U;

    /// The terms of one parameter in a clause.
    struct part_terms {
        std::uint32_t parameter = 0;
        std::vector<std::uint32_t> holds; // places of terms that hold at few
        bool is_open_everywhere = true;   // `open` is not yet set
        std::vector<std::uint32_t> open;  // places where no other term holds
    };

    /// Calls `leaf(term)` for the operands of nested `wanted` below `root`, with `not` moved
    /// inwards.
    template <class Leaf>
    bool divide(std::uint32_t root, bool negated, op wanted, Leaf const& leaf)
    {
        std::vector<term> open{{root, negated}};
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

    bool conjunction(std::uint32_t root, bool negated, std::vector<clause>& out)
    {
        return divide(root, negated, op::logical_and, [&](term const& one) {
            std::vector<part_terms> parts;
            bool holds = false;
            bool const fits =
                divide(one.first, one.second, op::logical_or,
                       [&](term const& literal) { return add(literal, parts, holds); });
            if (!fits) return false;
            if (holds) return true;
            clause made;
            for (part_terms& p : parts)
                made.push_back(finished(std::move(p)));
            std::sort(made.begin(), made.end());
            for (clause_part const& p : made)
                size_ += p.open.size();
            out.push_back(std::move(made));
            return size_ <= most_places;
        });
    }

    /// Adds a term to the others of its parameter. @param holds  set if the term holds everywhere
    bool add(term const& literal, std::vector<part_terms>& parts, bool& holds)
    {
        expression_node const& n = space_.nodes[literal.first];
        std::uint32_t parameter = no_index;
        bool is_one = true;
        walk_expression(space_, literal.first, [&](expression_node const& node) {
            if (!names_parameter(node.code) || domains_[node.subject].size() <= 1) return;
            is_one = is_one && (parameter == no_index || parameter == node.subject);
            parameter = node.subject;
        });
        if (!is_one) return false;
        if (parameter == no_index) {
            std::optional<number> const v = read_.value(literal.first, at_);
            holds = holds || (v && (v->as_real() != 0) != literal.second);
            return v.has_value();
        }
        auto known = std::find_if(parts.begin(), parts.end(),
                                  [&](part_terms const& p) { return p.parameter == parameter; });
        if (known == parts.end())
            known = parts.insert(parts.end(), part_terms{parameter, {}, true, {}});
        if (is_equality(n.code)) {
            expression_node const& a = space_.nodes[n.first];
            expression_node const& b = space_.nodes[n.second];
            bool const is_first = a.code == op::parameter && b.code == op::integer;
            bool const is_second = b.code == op::parameter && a.code == op::integer;
            if ((is_first || is_second) && has_integers(parameter)) {
                std::vector<std::uint32_t> const at =
                    places_of(parameter, is_first ? b.integer : a.integer);
                if ((n.code == op::equal) != literal.second)
                    known->holds.insert(known->holds.end(), at.begin(), at.end());
                else
                    keep_open(*known, at);
                return true;
            }
        }
        if (is_quick_) return false;
        std::vector<std::uint32_t> open;
        point at = at_;
        domain const& values = domains_[parameter];
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            at[parameter].index = values.value(i);
            std::optional<number> const v = read_.value(literal.first, at);
            if (!v) return false;
            if ((v->as_real() != 0) == literal.second) open.push_back(i);
        }
        keep_open(*known, std::move(open));
        return true;
    }

    static void keep_open(part_terms& part, std::vector<std::uint32_t> open)
    {
        if (!part.is_open_everywhere) {
            std::vector<std::uint32_t> both;
            std::set_intersection(part.open.begin(), part.open.end(), open.begin(), open.end(),
                                  std::back_inserter(both));
            open = std::move(both);
        }
        part.open = std::move(open);
        part.is_open_everywhere = false;
    }

    [[nodiscard]] clause_part finished(part_terms part) const
    {
        if (part.is_open_everywhere)
            for (std::uint32_t i = 0; i < domains_[part.parameter].size(); ++i)
                part.open.push_back(i);
        if (part.holds.empty()) return {part.parameter, std::move(part.open)};
        sort_unique(part.holds);
        clause_part out{part.parameter, {}};
        std::set_difference(part.open.begin(), part.open.end(), part.holds.begin(),
                            part.holds.end(), std::back_inserter(out.open));
        return out;
    }

    using place = std::pair<std::int64_t, std::uint32_t>; // value, place in the domain

    /// The kind of a parameter's values.
    struct value_places {
        bool is_known = false;
        bool are_integers = false;
        bool are_ascending = false;  ///< their table, or range, is searched in place
        std::vector<place> sorted{}; ///< else
    };

    /// Looks at the values of a parameter once. @return whether all are integers
    bool has_integers(std::uint32_t parameter)
    {
        parameter_description const& of = space_.parameters[parameter];
        value_places& known = places_[parameter];
        if (known.is_known) return known.are_integers;
        known.is_known = true;
        if (of.type == value_kind::text) return false;
        known.are_ascending = of.range_count > 0
                                  ? of.rule.step > 0
                                  : of.parts <= 1 && !of.integers.empty() &&
                                        std::is_sorted(of.integers.begin(), of.integers.end());
        known.are_integers = true;
        if (known.are_ascending) return true;
        for (std::uint32_t i = 0; i < domains_[parameter].size(); ++i) {
            number const v = number_at(of, {domains_[parameter].value(i), 0});
            if (v.is_real) return known.are_integers = false;
            known.sorted.emplace_back(v.integer, i);
        }
        std::sort(known.sorted.begin(), known.sorted.end());
        return true;
    }

    /// The places with this value, ascending.
    [[nodiscard]] std::vector<std::uint32_t> places_of(std::uint32_t parameter,
                                                       std::int64_t value) const
    {
        value_places const& known = places_[parameter];
        std::vector<std::uint32_t> out;
        if (known.are_ascending) {
            parameter_description const& of = space_.parameters[parameter];
            std::uint32_t const count = of.value_count();
            std::uint32_t low = 0, high = count; // the first index whose value is not below
            while (low < high) {
                std::uint32_t const middle = low + (high - low) / 2;
                if (of.integer_at(middle) < value)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (; low < count && of.integer_at(low) == value; ++low)
                if (auto const at = domains_[parameter].place_of(low)) out.push_back(*at);
            return out;
        }
        for (auto at = std::lower_bound(known.sorted.begin(), known.sorted.end(), place{value, 0});
             at != known.sorted.end() && at->first == value; ++at)
            out.push_back(at->second);
        return out;
    }

    description const& space_;
    std::vector<domain> const& domains_;
    evaluator read_;
    point at_;
    std::vector<value_places> places_; // of each parameter
    std::size_t size_ = 0;
    bool is_quick_ = false;
};

/// The clauses of `c` if it is long and can be read as clauses.
[[nodiscard]] inline std::optional<clause_list>
long_clauses(description const& space, condition const& c, std::vector<domain> const& domains)
{
    if (!is_long(space, c)) return std::nullopt;
    return clause_reader(space, domains).read(c);
}

} // namespace attune::inline ATTUNE_ABI::detail
