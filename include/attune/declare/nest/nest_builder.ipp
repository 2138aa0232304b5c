// attune/declare/nest/nest_builder.ipp - finds equal nodes and accesses, makes names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_builder.hpp>
#include <attune/declare/nest/nest_operation.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void add_term(affine_index& to, std::uint32_t axis, std::int64_t factor)
{
    auto at = std::find_if(to.terms.begin(), to.terms.end(),
                           [&](affine_term const& t) { return t.axis >= axis; });
    if (at == to.terms.end() || at->axis != axis) at = to.terms.insert(at, {axis, 0});
    at->factor += factor;
    if (at->factor == 0) to.terms.erase(at);
}

/// The place of an equal part, else that of a new one.
template <class T>
[[nodiscard]] std::uint32_t intern_part(std::vector<T>& all, T const& wanted)
{
    auto const at = std::find(all.begin(), all.end(), wanted);
    auto const place = static_cast<std::uint32_t>(at - all.begin());
    if (at == all.end()) all.push_back(wanted);
    return place;
}

ATTUNE_INLINE std::uint32_t nest_builder::add_node(nest_node const& wanted)
{
    return intern_part(out.nodes, wanted);
}

ATTUNE_INLINE std::uint32_t nest_builder::add_access(nest_access const& wanted)
{
    return intern_part(out.accesses, wanted);
}

ATTUNE_INLINE std::uint32_t nest_builder::add_index(affine_index const& index)
{
    constexpr element_type whole = element_type::i32;
    auto const literal = [&](std::int64_t value) {
        return add_node(
            {.code = nest_op::literal, .type = whole, .literal = static_cast<double>(value)});
    };
    auto const of_two = [&](nest_op code, std::uint32_t first, std::uint32_t second) {
        return add_node({.code = code, .type = whole, .first = first, .second = second});
    };
    std::uint32_t sum = no_index;
    for (affine_term const& term : index.terms) {
        std::uint32_t one = add_node({.code = nest_op::axis, .type = whole, .axis = term.axis});
        if (term.factor != 1) one = of_two(nest_op::multiply, one, literal(term.factor));
        sum = sum == no_index ? one : of_two(nest_op::add, sum, one);
    }
    if (sum == no_index) return literal(index.offset);
    return index.offset == 0 ? sum : of_two(nest_op::add, sum, literal(index.offset));
}

ATTUNE_INLINE std::uint32_t nest_builder::add_temporary(std::uint32_t target, reduction combine,
                                                        element_type element)
{
    std::string const stem = out.arrays[target].name + '_' + std::string(rules_of(combine).name);
    std::string name = stem;
    auto const taken = [&] {
        auto const called = [&](auto const& part) { return part.name == name; };
        return std::any_of(out.arrays.begin(), out.arrays.end(), called) ||
               std::any_of(out.axes.begin(), out.axes.end(), called) ||
               std::any_of(out.inputs.begin(), out.inputs.end(), called) || out.name == name;
    };
    for (int i = 2; taken(); ++i)
        name = stem + std::to_string(i);
    nest_array made{.name = std::move(name), .element = element, .role = nest_role::temporary};
    made.extents = out.arrays[target].extents;
    out.arrays.push_back(std::move(made));
    return static_cast<std::uint32_t>(out.arrays.size() - 1);
}

} // namespace attune::inline ATTUNE_ABI::detail
