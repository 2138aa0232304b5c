// attune/space/files/write_json.hpp - writes a space as a file for read_spaces_json().
// SPDX-License-Identifier: MIT
//
// read_json.hpp documents the format
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A space as a JSON object. Reading it gives the same parameters, priors, conditions, inputs and
/// constraints; ranges stay ranges. Constraints keep their text if parse_constraint() reads the
/// same.
/// Errors   attune::error for a constraint that is a function, and for text that is not UTF-8
[[nodiscard]] std::string write_space_json(named_space const& space);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_json.ipp>
#endif
