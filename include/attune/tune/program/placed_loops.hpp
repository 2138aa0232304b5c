// attune/tune/program/placed_loops.hpp - where the loops of a schedule sit in the caches.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Each loop of the program in order of the text, with the bytes that all of its iterations touch:
/// of an array the smallest box around the elements that its statements and the loops that fill
/// copies name; of a copy its elements, which several iterations share. Of loops that are cut off
/// at the end of an axis, the longest one counts.
/// @param inputs  those of the space, with their values where they are known
[[nodiscard]] std::vector<placed_loop> placed_loops(loop_program program,
                                                    std::vector<input_description> const& inputs);

/// {"registers", 512}, {"L1", 32768}, {"L2", ..}, {"L3", ..}: bytes for vectors, then caches.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
levels_of(processor_shape const& processor);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/placed_loops.ipp>
#endif
