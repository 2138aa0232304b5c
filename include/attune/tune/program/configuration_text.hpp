// attune/tune/program/configuration_text.hpp - the configuration of a program that a text names.
// SPDX-License-Identifier: MIT
// tested by tune/program/program_source.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The defaults of the rules; where they exclude each other, or there are none, the nearest valid
/// configuration.
/// Errors   attune::error: the space has no configuration
[[nodiscard]] point default_schedule_of(chain_of_trees const& space);

/// The configuration of a text such as "C_ROWS=8 C_COLUMNS=2", as reports and known_choice have it.
/// @param at  has the values of parameters that the text does not name
/// Errors   attune::error: no such parameter or value, or values that exclude each other
[[nodiscard]] point point_in_text(chain_of_trees const& space, point at,
                                  std::string_view configuration);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/configuration_text.ipp>
#endif
