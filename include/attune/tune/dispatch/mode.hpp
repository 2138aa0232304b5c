// attune/tune/dispatch/mode.hpp - the variable ATTUNE_MODE.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/options.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The options with the policy that ATTUNE_MODE names, if it names one.
[[nodiscard]] tuning_options with_mode(tuning_options options);
/// Why ATTUNE_MODE has no effect; empty: it has, or is not set.
[[nodiscard]] std::string complaint_of_mode();

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/mode.ipp>
#endif
