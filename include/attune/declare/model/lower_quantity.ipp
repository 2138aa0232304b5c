// attune/declare/model/lower_quantity.ipp - from sums of products to nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/model/lower_quantity.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::size_t hash_of_node(expression_node const& n)
{
    std::uint64_t out = static_cast<std::uint64_t>(n.code);
    for (std::uint64_t const word :
         {std::uint64_t{n.first}, std::uint64_t{n.second}, std::uint64_t{n.third},
          std::uint64_t{n.subject}, static_cast<std::uint64_t>(n.integer),
          std::bit_cast<std::uint64_t>(n.real), std::uint64_t{n.text}})
        out = (out ^ word) * 0x9e3779b97f4a7c15U + (out >> 29U);
    return out;
}

ATTUNE_INLINE quantity_lowering::quantity_lowering(description& space)
    : space_(space)
{
    for (std::uint32_t i = 0; i < space.nodes.size(); ++i)
        known_.emplace(hash_of_node(space.nodes[i]), i);
}

ATTUNE_INLINE std::uint32_t quantity_lowering::intern(expression_node node)
{
    std::size_t const hash = hash_of_node(node);
    auto const [first, last] = known_.equal_range(hash);
    for (auto found = first; found != last; ++found)
        if (space_.nodes[found->second] == node) return found->second;
    space_.nodes.push_back(node);
    std::uint32_t const made = static_cast<std::uint32_t>(space_.nodes.size() - 1);
    known_.emplace(hash, made);
    return made;
}

ATTUNE_INLINE std::uint32_t quantity_lowering::constant(std::int64_t value)
{
    return intern({.code = op::integer, .integer = value});
}

ATTUNE_INLINE std::uint32_t quantity_lowering::node_of(op code, std::uint32_t first,
                                                       std::uint32_t second)
{
    return intern({.code = code, .first = first, .second = second});
}

/// The parameter that a leaf reads; for an element of an array, the element's parameter.
ATTUNE_INLINE std::uint32_t quantity_lowering::subject_of(quantity_factor const& from,
                                                          expression_node& node)
{
    std::uint32_t found = space_.find_parameter(from.text);
    if (std::uint32_t const g = space_.find_group(from.text); g != no_index) {
        found = space_.groups[g].first + static_cast<std::uint32_t>(from.integer);
        node.code = op::parameter;
        node.integer = 0;
    }
    if (found == no_index)
        throw error("a model reads a parameter that is not in the space", "parameter " + from.text,
                    "add it to attune::space(...)");
    parameter_description const& p = space_.parameters[found];
    bool const is_negative =
        std::any_of(p.integers.begin(), p.integers.end(), [](auto v) { return v < 0; }) ||
        (p.integers.empty() && p.kind == parameter_kind::integer && p.rule.first < 0);
    if (is_negative)
        throw error("a parameter of a model has a negative value", "parameter " + p.name,
                    "give it sizes that are 0 or more");
    return found;
}

ATTUNE_INLINE std::uint32_t quantity_lowering::leaf(quantity_factor const& from)
{
    expression_node node{.code = from.code, .integer = from.integer, .real = from.real};
    if (from.code == op::text)
        node.text = intern_text(space_, from.text);
    else if (from.code == op::input) {
        node.subject = intern_input(space_, from.text, static_cast<value_kind>(from.integer));
        node.integer = 0;
    } else if (names_parameter(from.code))
        node.subject = subject_of(from, node);
    return intern(node);
}

ATTUNE_INLINE std::uint32_t quantity_lowering::factor(quantity_factor const& from)
{
    if (auto const found = factors_.find(from.key); found != factors_.end()) return found->second;
    std::uint32_t made = no_index;
    if (from.operands.empty()) {
        made = leaf(from);
    } else {
        std::vector<std::uint32_t> of;
        for (model::quantity const& operand : from.operands)
            of.push_back(lower(operand));
        expression_node node{.code = from.code, .first = of[0]};
        if (of.size() > 1) node.second = of[1];
        if (of.size() > 2) node.third = of[2];
        made = from.code == op::add ? of[0] : intern(node);
        if (is_comparison(from.code)) name_sides(from);
    }
    factors_.emplace(from.key, made);
    return made;
}

/// Gives the sides of a comparison their names, if they have any, for explanations.
ATTUNE_INLINE void quantity_lowering::name_sides(quantity_factor const& comparison)
{
    for (model::quantity const& side : comparison.operands) {
        if (!side.has_name()) continue;
        std::uint32_t const root = lower(side);
        bool const is_known = std::any_of(space_.names.begin(), space_.names.end(),
                                          [&](named_node const& n) { return n.root == root; });
        if (!is_known && !is_leaf(space_.nodes[root].code))
            space_.names.push_back({root, side.name()});
    }
}

ATTUNE_INLINE std::uint32_t quantity_lowering::product(std::int64_t coefficient,
                                                       factor_pointers const& of)
{
    std::uint32_t made = coefficient != 1 || of.empty() ? constant(coefficient) : no_index;
    for (quantity_factor const* f : of) {
        std::uint32_t const next = factor(*f);
        made = made == no_index ? next : node_of(op::multiply, made, next);
    }
    return made;
}

ATTUNE_INLINE std::uint32_t
quantity_lowering::sum(std::vector<std::pair<std::int64_t, factor_pointers>> const& terms)
{
    // A sum that begins with a negative term would need a 0 before it.
    auto const first =
        std::find_if(terms.begin(), terms.end(), [](auto const& term) { return term.first > 0; });
    std::uint32_t made = first == terms.end() ? constant(0) : product(first->first, first->second);
    for (auto term = terms.begin(); term != terms.end(); ++term) {
        if (term == first) continue;
        // The least number has no opposite, so the code adds it.
        bool const minus =
            term->first < 0 && term->first != std::numeric_limits<std::int64_t>::min();
        made = node_of(minus ? op::subtract : op::add, made,
                       product(minus ? -term->first : term->first, term->second));
    }
    return made;
}

ATTUNE_INLINE std::uint32_t quantity_lowering::lower(model::quantity const& from)
{
    if (auto const known = from.constant()) return constant(*known);
    std::vector<std::pair<std::int64_t, factor_pointers>> terms;
    for (quantity_term const& term : from.terms()) {
        factor_pointers of;
        for (auto const& f : term.factors)
            of.push_back(f.get());
        terms.emplace_back(term.coefficient, std::move(of));
    }
    if (terms.size() == 1) return product(terms.front().first, terms.front().second);
    // The code writes factors of all terms once; then a tree keeps one partial sum.
    factor_pointers shared;
    for (quantity_factor const* const f : factor_pointers(terms.front().second)) {
        auto const holder = [&](auto& term) {
            return std::find_if(term.second.begin(), term.second.end(),
                                [&](auto const* g) { return g->key == f->key; });
        };
        bool const in_all = std::all_of(terms.begin(), terms.end(), [&](auto& term) {
            return holder(term) != term.second.end();
        });
        if (!in_all) continue;
        for (auto& term : terms)
            term.second.erase(holder(term));
        shared.push_back(f);
    }
    std::uint32_t const rest = sum(terms);
    return shared.empty() ? rest : node_of(op::multiply, product(1, shared), rest);
}

ATTUNE_INLINE void quantity_lowering::constrain(model::quantity const& holds, std::string advice)
{
    if (!holds.is_truth())
        throw error("a limit of a model is no truth", holds.name(), "compare it: x <= 8192");
    constraint_description out;
    out.root = lower(holds);
    out.text = holds.name();
    out.advice = std::move(advice);
    out.scope = parameters_read(space_, out.root);
    space_.constraints.push_back(std::move(out));
}

} // namespace attune::inline ATTUNE_ABI::detail
