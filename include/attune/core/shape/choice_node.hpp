// attune/core/shape/choice_node.hpp - a tree that chooses code for a call by the sizes of the call.
// SPDX-License-Identifier: MIT-0
// tested by remember/problem/choice_tree.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// A node of a tree over sizes or inputs. In a leaf, `input` is `none` and `below` is a variant.
struct choice_node {
    static constexpr std::int32_t none = -1;

    std::int32_t input = none; ///< compared with `threshold`; a smaller value leads to `below`
    double threshold = 0;
    std::int32_t below = none; ///< in a leaf, `none` is the default
    std::int32_t above = none;
};

/// The choice of a tree; none: the default.
/// @param input_at  gives the value of an input by its number
template <class InputAt>
[[nodiscard]] constexpr std::int32_t choice_in(choice_node const* tree, InputAt const& input_at)
{
    choice_node const* at = tree;
    while (at->input != choice_node::none)
        at = tree + (input_at(static_cast<std::size_t>(at->input)) < at->threshold ? at->below
                                                                                   : at->above);
    return at->below;
}

} // namespace attune::inline ATTUNE_ABI::detail
