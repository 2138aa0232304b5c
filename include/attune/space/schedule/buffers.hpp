// attune/space/schedule/buffers.hpp - copies of arrays close to where a program needs them.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   cache_read and cache_write of TVM's schedules (Feng et al. 2023, TensorIR)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What the coordinates of a copy are.
enum class copy_form : std::uint8_t {
    array, ///< indices of the array: each element once; with padding, as zeros
    axes,  ///< the axes that the index has: each element as often as it is used (im2col)
};

/// Copies what the iterations inside `loop` (no_index: the program) read by one access, just before
/// the block's loops there.
/// @param layout  digits from outermost to innermost; empty: the coordinates in their order.
///                {{0, 8}, {1, 1}, {0, 1}}: panels of 8 rows, column after column
/// @return  the buffer
/// Errors   the block does not read that; it reads a copy already; an index runs backwards; the
///          array is computed inside the loop; digits that do not make up the coordinates
std::uint32_t cache_read(loop_program& program, std::uint32_t block, std::uint32_t access,
                         std::uint32_t loop, copy_form form = copy_form::array,
                         std::vector<layout_digit> layout = {});

/// Combines a reduction inside `loop` in a buffer of the accumulator's type: the target is written
/// once per iteration of the loop, and read only where a reduction loop is outside.
/// @param is_register  its loops are unrolled: a small tile
/// @return  the buffer
/// Errors   no reduction; a buffer already; a target whose part inside the loop has no known size;
///          another statement reads the target's array before the buffer is stored
std::uint32_t cache_write(loop_program& program, std::uint32_t block, std::uint32_t loop,
                          bool is_register);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/buffers.ipp>
#endif
