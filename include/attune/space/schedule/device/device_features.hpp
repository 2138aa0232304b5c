// attune/space/schedule/device/device_features.hpp - numbers of a GPU kernel before it is compiled, a row per statement.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule/feature_extractor/per_store_feature.cc: group 1,
//          with the extents of blocks and threads; Williams, Waterman, Patterson 2009 (roofline):
//          operations over bytes of each level; CUDA C++ best practices guide: occupancy
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/device_program.hpp>
#include <attune/declare/program_rows.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Features of a program as one launch of a GPU: rows are its statements in their order.
///
/// Numbers are written as those of features_of(). Columns are operations by kind; the launch; the
/// tiles of a block and of a thread; stages, and the bytes that are on their way to the tiles while
/// a block multiplies; what a block takes of a multiprocessor, and how many fit; the bytes that
/// cross each level, in all and for each array, with those of one load or store; operations per
/// byte of each level. Limits are those of compute capability 8.0 (A100) for all devices: equal
/// programs have equal numbers, whatever device measures them.
///
/// Bytes from memory are those that threads ask for: what caches keep is not known here. An element
/// outside of a padded array counts as one inside. Where lanes keep rows in registers, the first
/// statement that reads an array has its bytes.
/// @param inputs  by input of the nest its value; extents by inputs beyond these, or 0, count as
///                1024, as those of features_of()
/// Cost     some microseconds per statement
[[nodiscard]] program_rows device_features_of(device_program const& program,
                                              std::span<std::int64_t const> inputs = {});

/// What each column is.
[[nodiscard]] std::vector<std::string> device_feature_names();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/device/device_features.ipp>
#endif
