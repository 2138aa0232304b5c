// attune/declare/nest/nest_builder.hpp - a nest_description while it is made: equal parts are there once.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds to a sum; terms stay ascending and other than 0.
void add_term(affine_index& to, std::uint32_t axis, std::int64_t factor);

struct nest_builder {
    nest_description out;

    /// The index of the node, which may be there.
    [[nodiscard]] std::uint32_t add_node(nest_node const& wanted);
    [[nodiscard]] std::uint32_t add_access(nest_access const& wanted);
    /// Nodes that compute the value of an index, in i32.
    [[nodiscard]] std::uint32_t add_index(affine_index const& index);
    /// An array of the extents of `target` for what a reduction of its statement gives: "C_sum".
    [[nodiscard]] std::uint32_t add_temporary(std::uint32_t target, reduction combine,
                                              element_type element);
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/nest_builder.ipp>
#endif
