// attune/ship/bake/listed_shapes.hpp - the shapes of calls that a build verifies its code for.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Stands for several places in memory instead of the word of shape_part::places.
inline constexpr std::int64_t several_places = -1;

/// The shapes that are meant, each with a word for each of the layout, the smallest first.
/// @param asked  each "KNOWN": those that the store tells of; a file with a shape in each line, in
///               which # begins a comment; or a shape: the numbers of the layout but for the
///               places, such as "1024 1024 32" of a span, a span and an int
/// Errors   attune::error: a text that is none of these
[[nodiscard]] std::vector<std::vector<std::int64_t>>
listed_shapes(bake_plan const& plan, std::vector<std::string> const& asked);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/listed_shapes.ipp>
#endif
