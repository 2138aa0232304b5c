// tests/space/space_shrinker.hpp - from a description that fails to a small one that still fails.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/expression/operation.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "space_writer.hpp"

namespace attune_tests {

/// Copies the nodes of a description that constraints reach, one node replaced on the way.
class node_copier {
public:
    /// @param replaced  this node becomes `by`, a node of the same table, or the literal `value`
    node_copier(description const& from, std::uint32_t replaced, std::uint32_t by,
                std::int64_t value)
        : from_(from)
        , replaced_(replaced)
        , by_(by)
        , value_(value)
        , known_(from.nodes.size(), attune::no_index)
    {
    }
    [[nodiscard]] description copied()
    {
        out_.parameters = from_.parameters;
        out_.inputs = from_.inputs;
        out_.texts = from_.texts;
        out_.constraints = from_.constraints;
        for (attune::constraint_description& c : out_.constraints) {
            if (c.test) continue;
            c.root = copy(c.root);
            c.scope = attune::detail::parameters_read(out_, c.root);
        }
        return std::move(out_);
    }

private:
    std::uint32_t copy(std::uint32_t node)
    {
        if (node == attune::no_index) return node;
        if (known_[node] != attune::no_index) return known_[node];
        attune::expression_node n{.code = op::integer, .integer = value_};
        if (node == replaced_ && by_ != attune::no_index) return known_[node] = copy(by_);
        if (node != replaced_) {
            n = from_.nodes[node];
            n.first = copy(n.first);
            n.second = copy(n.second);
            n.third = copy(n.third);
        }
        out_.nodes.push_back(n);
        return known_[node] = static_cast<std::uint32_t>(out_.nodes.size() - 1);
    }

    description const& from_;
    std::uint32_t replaced_;
    std::uint32_t by_;
    std::int64_t value_;
    std::vector<std::uint32_t> known_;
    description out_;
};

/// What shrinking makes smaller: parameters, their values, constraints and the nodes they reach;
/// of equals, leaves that read a parameter or are a literal other than 0.
inline std::pair<std::size_t, std::size_t> weight(description const& space)
{
    description const reached = node_copier(space, attune::no_index, attune::no_index, 0).copied();
    std::size_t sum = reached.nodes.size() + 4 * space.parameters.size();
    std::size_t unusual = 0;
    for (parameter_description const& p : space.parameters)
        sum += p.value_count();
    for (attune::constraint_description const& c : space.constraints)
        sum += 1 + (c.test ? c.scope.size() : 0);
    for (attune::expression_node const& n : reached.nodes)
        if (attune::detail::operand_count(n.code) == 0)
            unusual += n.code != op::integer ? 2U : n.integer != 0 ? 1U : 0U;
    return {sum, unusual};
}

namespace shrinking {

inline bool reads(description const& space, std::uint32_t parameter)
{
    return std::any_of(space.constraints.begin(), space.constraints.end(), [&](auto const& c) {
        return std::find(c.scope.begin(), c.scope.end(), parameter) != c.scope.end();
    });
}

inline description without_parameter(description space, std::uint32_t gone)
{
    space.parameters.erase(space.parameters.begin() + gone);
    for (attune::expression_node& n : space.nodes)
        if (n.subject != attune::no_index && n.subject > gone) --n.subject;
    for (attune::constraint_description& c : space.constraints)
        for (std::uint32_t& p : c.scope)
            p -= p > gone ? 1U : 0U;
    return space;
}

/// Keeps the values from `first` to behind `last`.
template <class T>
void keep(std::vector<T>& values, std::size_t first, std::size_t last)
{
    if (values.empty()) return;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(last), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Tries `offer` on the same space with fewer values of parameter `p`, until it takes one.
template <class Offer>
bool fewer_values(description const& space, std::uint32_t p, Offer const& offer)
{
    parameter_description const& whole = space.parameters[p];
    description tried = space;
    parameter_description& part = tried.parameters[p];
    std::uint32_t const count = whole.value_count();
    if (whole.kind == parameter_kind::permutation || whole.kind == parameter_kind::boolean)
        return false;
    if (whole.kind == parameter_kind::tile) {
        std::int64_t extent = 1;
        for (std::uint32_t k = 0; k < whole.parts; ++k)
            extent *= whole.integers[k];
        for (std::int64_t smaller = 1; smaller < extent; ++smaller) {
            part.integers = attune::detail::factor_table(smaller, whole.parts);
            if (part.value_count() < count && offer(tried)) return true;
        }
        return false;
    }
    for (std::uint32_t length = 1; length < count; ++length)
        for (std::uint32_t first = 0; first + length <= count; ++first) {
            part = whole;
            keep(part.integers, first, first + length);
            keep(part.reals, first, first + length);
            keep(part.labels, first, first + length);
            if (offer(tried)) return true;
        }
    return false;
}

/// Tries `offer` on every description one reduction away, until it takes one.
template <class Offer>
bool one_reduction(description const& space, Offer const& offer)
{
    description tried = space;
    for (std::size_t c = 0; c < space.constraints.size(); ++c) {
        tried.constraints.erase(tried.constraints.begin() + static_cast<std::ptrdiff_t>(c));
        if (offer(tried)) return true;
        tried.constraints = space.constraints;
    }
    for (std::uint32_t p = 0; p < space.parameters.size() && space.parameters.size() > 1; ++p)
        if (!reads(space, p) && offer(without_parameter(space, p))) return true;
    for (std::uint32_t n = static_cast<std::uint32_t>(space.nodes.size()); n-- > 0;) {
        for (std::uint32_t by = 0; by < n; ++by) // earlier nodes: no cycle
            if (offer(node_copier(space, n, by, 0).copied())) return true;
        for (std::int64_t const value : {0, 1})
            if (offer(node_copier(space, n, attune::no_index, value).copied())) return true;
    }
    for (std::size_t c = 0; c < space.constraints.size(); ++c)
        for (std::size_t i = 0; space.constraints[c].test && i < space.constraints[c].scope.size();
             ++i) {
            std::vector<std::uint32_t>& scope = tried.constraints[c].scope;
            scope.erase(scope.begin() + static_cast<std::ptrdiff_t>(i));
            if (!scope.empty() && offer(tried)) return true;
            tried.constraints = space.constraints;
        }
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p)
        if (fewer_values(space, p, offer)) return true;
    return false;
}

} // namespace shrinking

/// The smallest description that can be reached from `failing` by dropping constraints, parameters
/// and values, and by putting operands and constants in the place of expressions, while `fails`
/// stays true: no further single one of these steps keeps it failing.
template <class Fails>
description shrink(description failing, Fails const& fails)
{
    auto const take_smaller = [&](description const& tried) {
        if (weight(tried) >= weight(failing) || !fails(tried)) return false;
        failing = node_copier(tried, attune::no_index, attune::no_index, 0).copied();
        return true;
    };
    while (shrinking::one_reduction(description(failing), take_smaller)) {
    }
    return failing;
}

} // namespace attune_tests
