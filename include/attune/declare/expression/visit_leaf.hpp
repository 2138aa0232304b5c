// attune/declare/expression/visit_leaf.hpp - calls a visitor with what a leaf of an expression reads.
// SPDX-License-Identifier: MIT
//
// tested by declare/expression/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls the member function of `visitor` for the leaf `n`, and returns its result:
///   constant(number)
///   text(std::string const&)
///   input(input_description const&)
///   whole(parameter), element(parameter, place) or item_position(parameter, item), where parameter
///   is an index into space.parameters
/// @pre  is_leaf(n.code)
template <class Visitor>
[[nodiscard, gnu::always_inline]] inline auto
visit_leaf(description const& space, expression_node const& n, Visitor const& visitor)
{
    switch (n.code) {
    case op::integer:
        return visitor.constant(number::of(n.integer));
    case op::real:
        return visitor.constant(number::of(n.real));
    case op::text:
        return visitor.text(space.texts[n.text]);
    case op::input:
        return visitor.input(space.inputs[n.subject]);
    case op::element:
        return visitor.element(n.subject, n.integer);
    case op::position:
        return visitor.item_position(n.subject, n.integer);
    default:
        return visitor.whole(n.subject);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
