// attune/declare/nest/describe.hpp - a typed program as a nest_description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds a term to a sum; terms stay ascending, and none is 0.
void add_term(affine_index& to, std::uint32_t axis, std::int64_t factor);

struct nest_builder {
    nest_description out;

    /// The index of the node; appends a new node.
    [[nodiscard]] std::uint32_t add_node(nest_node const& wanted);
    [[nodiscard]] std::uint32_t add_access(nest_access const& wanted);
    /// The node that computes the value of an index, in i32.
    [[nodiscard]] std::uint32_t add_index(affine_index const& index);
    /// Adds an array with the extents of `target` for the result of a reduction: "C_sum".
    [[nodiscard]] std::uint32_t add_temporary(std::uint32_t target, reduction combine,
                                              element_type element);
};

/// The description of a program. Equal parts occur once. Reductions inside a formula become
/// statements, whose results are temporaries.
[[nodiscard]] nest_description describe_form(nest_form const& program);

template <class Declaration>
[[nodiscard]] nest_description describe_nest(Declaration const& program)
{
    auto const numbers = program.numbers();
    return describe_form(Declaration::form(numbers));
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/describe.ipp>
#endif
