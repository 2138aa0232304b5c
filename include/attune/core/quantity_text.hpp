// attune/core/quantity_text.hpp - a time or another quantity as people read it.
// SPDX-License-Identifier: MIT
// tested by tune/progress.cpp
#pragma once

#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

/// "1.25 ms"; the plain number if the unit is not seconds.
[[nodiscard]] std::string text_of_quantity(double value, bool is_seconds);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/quantity_text.ipp>
#endif
