// attune/space/schedule/rewrite.hpp - changes of a program's statements that keep its result.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   compute_inline and rfactor of TVM's schedules (Feng et al. 2023, TensorIR)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Computes a statement's value where other statements read it, and drops its temporary.
/// Errors   a reduction; an array that is an argument, or whose type rounds the values; a padded
///          read; a statement with buffers
void inline_statement(loop_program& program, std::uint32_t block);

/// Combines each iteration of a reduction loop separately, and then combines the results. The loop
/// becomes a loop over elements of a temporary, so threads or lanes can run it.
/// @return  the block that combines the results
/// Errors   the loop is not over one reduction axis of known extent, or neither the outermost nor
///          the innermost loop over that axis; iterations differ in size; the statement has buffers
///          or shares its loops; the reduction is an argument of a maximum
std::uint32_t rfactor(loop_program& program, std::uint32_t block, std::uint32_t loop);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/rewrite.ipp>
#endif
