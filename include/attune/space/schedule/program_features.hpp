// attune/space/schedule/program_features.hpp - numbers of a program before it is compiled, a row per store.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/feature_extractor/per_store_feature.cc: groups 1
//          to 5; Williams, Waterman, Patterson 2009 (roofline): lines that each cache lets through
#pragma once

#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/program_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Features of a program: rows are its blocks and copies in their order.
///
/// Numbers x are sign(x) log2(|x| + 1), so that a tree splits orders of magnitude; ratios are their
/// logarithm, truths 0 or 1. TVM's features of graphics processors are left out; after its groups
/// come those of register tiles, tails, and lines from beyond each cache. Arithmetic of indices is
/// not counted.
///
/// @param inputs  by input of the nest its value; extents by inputs beyond these, or 0, count as
///                1024, as product_model.hpp has them
/// Cost     some microseconds per store
[[nodiscard]] program_rows features_of(loop_program const& program,
                                       processor_shape const& processor = this_processor(),
                                       std::span<std::int64_t const> inputs = {});

/// What each column is.
[[nodiscard]] std::vector<std::string> program_feature_names();

/// The values of a nest's inputs in a description whose inputs are bound; 0 where there is none.
[[nodiscard]] std::vector<std::int64_t> inputs_of_nest(nest_description const& nest,
                                                       description const& in);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/program_features.ipp>
#endif
