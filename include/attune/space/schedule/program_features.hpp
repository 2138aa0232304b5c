// attune/space/schedule/program_features.hpp - numbers of a program before it is compiled, a row per store.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/feature_extractor/per_store_feature.cc: groups 1
//          to 5; Williams, Waterman, Patterson 2009 (roofline): lines from beyond each cache
#pragma once

#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Features of a program: rows are its blocks and copies in their order.
///
/// A number x becomes sign(x) log2(|x| + 1), so that a decision tree splits orders of magnitude; a
/// ratio becomes its logarithm, a truth 0 or 1. TVM's features of graphics processors are left out.
/// After TVM's groups follow register tiles, tails, and lines from beyond each cache. Arithmetic of
/// indices does not count.
///
/// @param inputs  values by input of the nest; an extent by a missing input, or 0, counts as 1024,
///                as in product_model.hpp
/// Cost     some microseconds per store
[[nodiscard]] program_rows features_of(loop_program const& program,
                                       processor_shape const& processor = this_processor(),
                                       std::span<std::int64_t const> inputs = {});

/// The name of each column.
[[nodiscard]] std::vector<std::string> program_feature_names();

/// The values of a nest's inputs in a bound description; 0 for a missing value.
[[nodiscard]] std::vector<std::int64_t> inputs_of_nest(nest_description const& nest,
                                                       description const& in);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/program_features.ipp>
#endif
