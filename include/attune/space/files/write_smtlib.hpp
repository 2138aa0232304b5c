// attune/space/files/write_smtlib.hpp - writes a space as a script for SMT solvers.
// SPDX-License-Identifier: MIT
// Source   The SMT-LIB Standard 2.6; theory Ints: `div` leaves a remainder that is not negative
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The commands of a script without (check-sat): the logic, one constant per parameter (for a list
/// one per element, |ORDER[0]|) with its values, and the constraints, also those of conditional
/// parameters. The logic is QF_NIA, or QF_NIRA with reals. Comments have the sentences of
/// left_out_of_smtlib().
///
/// A boolean is 0 or 1. A text is its index in the table. An operation without a value (division by
/// zero, a result beyond 64 bits) makes its constraint false, as in attune. Doubles become exact
/// reals, whose results a solver does not round; attune rounds them.
/// Errors  attune::error: a constraint that is a function, an input without a value, a table that
///         is not yet made, a real that is not finite
[[nodiscard]] std::string write_smtlib(description const& bound);

/// A sentence for each part that write_smtlib() leaves out: defaults and priors.
[[nodiscard]] std::vector<std::string> left_out_of_smtlib(description const& space);

/// The script's name of parameter `index`, or of element `part` of a list.
[[nodiscard]] std::string smtlib_name(description const& bound, std::uint32_t index,
                                      std::uint32_t part = 0);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_smtlib.ipp>
#endif
