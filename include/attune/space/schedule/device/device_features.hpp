// attune/space/schedule/device/device_features.hpp - numbers of a GPU kernel before it is compiled, a row per statement.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/feature_extractor/per_store_feature.cc: group 1,
//          with the extents of blocks and threads; Williams, Waterman, Patterson 2009 (roofline):
//          operations over bytes of each level; CUDA C++ best practices guide: occupancy
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Features of a program as one launch of a GPU: rows are its statements in their order.
///
/// Numbers have the form of those of features_of(). Columns are operations by kind; the launch; the
/// tiles of a block and of a thread; stages, and the bytes copied to tiles while a block
/// multiplies; the resources of a block, and the number of blocks per multiprocessor; the bytes at
/// each level, in total and by array, with those of one load or store; operations per byte of each
/// level. Limits are those of compute capability 8.0 (A100), so that equal programs have equal
/// numbers on all devices.
///
/// Bytes from memory are those that threads request, without effects of caches. An element outside
/// a padded array counts like an element inside. If lanes keep rows in registers, the bytes of an
/// array belong to the first statement that reads it.
/// @param inputs  values by input of the nest; an extent by a missing input, or 0, counts as 1024,
///                as in features_of()
/// Cost     some microseconds per statement
[[nodiscard]] program_rows device_features_of(device_program const& program,
                                              std::span<std::int64_t const> inputs = {});

/// The name of each column.
[[nodiscard]] std::vector<std::string> device_feature_names();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/device/device_features.ipp>
#endif
