// attune/space/files/nni.hpp - reads and writes search spaces of NNI.
// SPDX-License-Identifier: MIT
// Source   NNI 2.4, docs/en_US/Tutorial/SearchSpaceSpec.rst: types, and the formulas of the
//          quantised ones
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A search_space.json of NNI.
struct nni_file {
    std::string text;
    std::vector<std::string> left_out; ///< a sentence for each part that NNI cannot hold
};

/// A space for NNI:
/// - consecutive whole numbers are a randint, unless the parameter is ordinal and has a table; an
///   interval is uniform or loguniform; any other values are a choice and keep their type
/// - a parameter that is active where a text has one value, as in MODE == "a", is inside that
///   option; read_nni() gives it the prefix "MODE/a/"
/// - the function leaves out a parameter whose condition can never hold, and all parameters inside
///   it
/// - the function leaves out constraints, other conditions (NNI always draws these parameters),
///   defaults, priors, and the scales of tables
/// Call reduced() first, so that each written value is in a valid configuration.
/// @pre    bind_inputs() has made the tables
/// Errors  attune::error
///         - the format has no permutation, tile or array, no parameter called "_name", "_type" or
///           "_value", and no long range with a step or to 2^63 - 1
///         - read_nni() would give two parameters one name, or reads no more than 10 nested levels
///         - the condition of a parameter leads back to this parameter; a text is not UTF-8
[[nodiscard]] nni_file write_nni(named_space const& space);

/// Reads a search_space.json of NNI (Neural Network Intelligence), which has no constraints:
///
///     {"batch": {"_type": "choice", "_value": [16, 32, 64]},
///      "layer": {"_type": "choice", "_value": [
///         {"_name": "none"},
///         {"_name": "conv", "kernel": {"_type": "randint", "_value": [1, 8]}}]}}
///
/// choice      the values: numbers ascending, texts, or truths. If the options have a "_name", the
///             values are these names. A parameter inside an option is called "layer/conv/kernel",
///             and is active if that option is chosen
/// randint     [first, last], without `last` itself
/// uniform, loguniform    a real parameter, on a logarithmic scale in the second case
/// quniform, qloguniform  [low, high, q]: clip(round(x / q) * q, low, high) for x from low to high:
///             the multiples of q inside, and each end whose nearest multiple is outside. Whole
///             numbers if low, high and q are whole
/// The function refuses the normal types, which have no bounds. All values are equally likely; in
/// NNI the ends of a quantised type are half as likely as other values.
/// @param source  name of the file, for errors
/// Errors  syntax_error: what was expected of which parameter, line and column
[[nodiscard]] named_space read_nni(std::string_view text, std::string const& source = "");

/// Reads the file at `path`, as read_nni().
/// Errors  attune::error: the file cannot be read; syntax_error
[[nodiscard]] named_space read_nni_file(std::string const& path);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/nni.ipp>
#endif
