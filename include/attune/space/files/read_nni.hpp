// attune/space/files/read_nni.hpp - reads search spaces of NNI.
// SPDX-License-Identifier: MIT
// Source   NNI 2.4, docs/en_US/Tutorial/SearchSpaceSpec.rst: types, and the formulas of the
//          quantised ones
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// Reads a search_space.json of NNI (Neural Network Intelligence), which has no constraints:
///
///     {"batch": {"_type": "choice", "_value": [16, 32, 64]},
///      "layer": {"_type": "choice", "_value": [
///         {"_name": "none"},
///         {"_name": "conv", "kernel": {"_type": "randint", "_value": [1, 8]}}]}}
///
/// choice      the values: numbers ascending, texts, or truths. Of options with a "_name": the
///             names; what is inside of an option is a parameter "layer/conv/kernel" that is active
///             where that option is chosen
/// randint     [first, last], without `last` itself
/// uniform, loguniform    a real parameter, on a logarithmic scale in the second case
/// quniform, qloguniform  [low, high, q]: clip(round(x / q) * q, low, high) for x from low to high:
///             the multiples of q, and an end that is nearer to a multiple outside. Whole numbers
///             where low, high and q are
/// The normal types have no bounds and are refused. All values count alike: that the ends of a
/// quantised type come half as often in NNI is not kept.
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected of which parameter, line and column
[[nodiscard]] named_space read_nni(std::string_view text, std::string const& source = "");

/// Reads the file at `path`, as above.
/// Errors  attune::error when it cannot be read; syntax_error
[[nodiscard]] named_space read_nni_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/read_nni.ipp>
#endif
