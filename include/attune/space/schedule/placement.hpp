// attune/space/schedule/placement.hpp - the places of values: copies of arrays close to their readers, statements computed inside them.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   compute_at of TVM's schedules (Feng et al. 2023, TensorIR)
// Source   cache_read and cache_write of TVM's schedules (Feng et al. 2023, TensorIR)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The coordinates of a copy.
enum class copy_form : std::uint8_t {
    array, ///< indices of the array: each element once; padding is zeros
    axes,  ///< axes of the index: each element once per use (im2col)
};

/// Copies the elements that the iterations inside `loop` (no_index: the program) read by one
/// access. The copy comes directly before the block's loops in `loop`.
/// @param layout  digits from outermost to innermost; empty: the coordinates in order.
///                {{0, 8}, {1, 1}, {0, 1}}: panels of 8 rows, column after column
/// @return  the buffer
/// Errors   the block does not have the access; the access reads a copy already; an index falls
///          while its axis grows; a statement inside the loop computes the array; the digits do not
///          form the coordinates
std::uint32_t cache_read(loop_program& program, std::uint32_t block, std::uint32_t access,
                         std::uint32_t loop, copy_form form = copy_form::array,
                         std::vector<layout_digit> layout = {});

/// Combines a reduction inside `loop` in a buffer of the accumulator's type. Each iteration of
/// `loop` writes the target once, and reads it only if a reduction loop is around `loop`.
/// @param is_register  a small tile, whose loops are unrolled
/// @return  the buffer
/// Errors   no reduction; the target is in a buffer already; its part inside the loop has no known
///          size; another statement reads its array before the buffer is stored
std::uint32_t cache_write(loop_program& program, std::uint32_t block, std::uint32_t loop,
                          bool is_register);

/// Computes a statement (the producer) inside `loop`, only the part that statements there need. If
/// its array is a temporary, a buffer of that part replaces it, unless a later statement reads the
/// array.
/// Errors   a statement that is neither in the loop nor after it reads the array; an index of a
///          reader differs from that of the producer in an axis of an enclosing loop; C += ...
///          would be added again
void compute_at(loop_program& program, std::uint32_t block, std::uint32_t loop);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/placement.ipp>
#endif
