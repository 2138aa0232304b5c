// attune/tune/dispatch/mode.hpp - the variables ATTUNE_MODE, ATTUNE_FORCE and ATTUNE_STORE, and the forced configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the options with the policy of ATTUNE_MODE, if it is set.
[[nodiscard]] tuning_options with_mode(tuning_options options);

/// Returns the parameters and values in "TILE_M=64,ORDER={2,1}" or, as in reports, in "TILE_M=64
/// ORDER={2, 1} FLAGS+=-O2". A comma or a space is part of the value inside of braces, or if no
/// NAME= follows it: "FLAGS=-O2,-g,TILE=8" has two parameters.
[[nodiscard]] named_texts values_in(std::string_view text);
/// Returns the parameters and values of ATTUNE_FORCE.
[[nodiscard]] named_texts forced_values();

/// The configuration of ATTUNE_FORCE.
struct forced_choice {
    std::optional<point> at{}; ///< empty: no configuration is forced
    std::vector<std::string> notices{};
};

/// Returns the valid configuration with these values that differs least from `base`: see
/// nearest_valid().
/// @param wanted  parameters and values; names outside this space are skipped with a notice
/// @return  a notice with the possible values if a value is invalid for its parameter, or if no
///          valid configuration has these values together
/// Cost   builds the space of these values
[[nodiscard]] forced_choice forced_choice_of(named_texts const& wanted, chain_of_trees const& space,
                                             point const& base);

/// Returns the stores of ATTUNE_STORE, "own.attune:/usr/share/shipped.attune", followed by `own`:
/// lookups read all of them, and results go to the first. Returns `own` if the variable is not set.
[[nodiscard]] any_store with_named_stores(any_store own);

/// Returns a sentence with the reason for each variable without effect.
[[nodiscard]] std::vector<std::string> complaints_of_variables();

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/mode.ipp>
#endif
