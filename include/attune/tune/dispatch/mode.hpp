// attune/tune/dispatch/mode.hpp - the variables ATTUNE_MODE, ATTUNE_FORCE and ATTUNE_STORE.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/any_store.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The options with the policy that ATTUNE_MODE names, if it names one.
[[nodiscard]] tuning_options with_mode(tuning_options options);

/// The parameters and values in "TILE_M=64,ORDER={2,1}" or, as reports have them, in
/// "TILE_M=64 ORDER={2, 1} FLAGS+=-O2". A comma or a space inside of braces, or before what is no
/// NAME=, belongs to the value: "FLAGS=-O2,-g,TILE=8" has two.
[[nodiscard]] named_texts values_in(std::string_view text);
/// Those that ATTUNE_FORCE names.
[[nodiscard]] named_texts forced_values();

/// The stores that ATTUNE_STORE names, "own.attune:/usr/share/shipped.attune": all are read, and
/// this one after them; the first is written to. This store alone where it names none.
[[nodiscard]] any_store with_named_stores(any_store own);

/// Which of the variables have no effect, and why.
[[nodiscard]] std::vector<std::string> complaints_of_variables();

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/mode.ipp>
#endif
