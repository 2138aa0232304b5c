// attune/space/files/write_nni.hpp - writes spaces as search spaces of NNI.
// SPDX-License-Identifier: MIT
//
// read_nni.hpp documents the types
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/files/read_json.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A search_space.json of NNI.
struct nni_file {
    std::string text;
    std::vector<std::string> left_out; ///< a sentence for each thing that NNI has no form for
};

/// A space for NNI:
/// - whole numbers in a row are a randint, unless the parameter is ordinal and has a table; an
///   interval is uniform or loguniform; any other values are a choice and keep their type
/// - a parameter that is active where a text has one value, as in MODE == "a", is inside of that
///   option, without the prefix "MODE/a/" that read_nni() gives; it reads back with that prefix
/// - a parameter whose condition asks for a value that the other one does not have is not written,
///   nor is what is inside of it
/// Left out are constraints, other conditions (NNI always draws these parameters), defaults and
/// priors; tables have no scale. reduced() first: then each value that is written is in some valid
/// configuration.
/// @pre    bind_inputs() has made the tables
/// Errors  attune::error for a permutation, a tile, an array, a parameter called "_name", "_type" or
///         "_value", and for a long range with a step or to 2^63 - 1: the format has none of these;
///         for two parameters that read_nni() would give one name, and for more than 10 levels
///         inside of each other, which it does not read;
///         for conditions that lead back to their own parameter; for a text that is not UTF-8
[[nodiscard]] nni_file write_nni(named_space const& space);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/files/write_nni.ipp>
#endif
