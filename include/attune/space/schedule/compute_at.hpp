// attune/space/schedule/compute_at.hpp - a statement is computed inside a loop of those that read it.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   compute_at of TVM's schedules (Feng et al. 2023, TensorIR)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Computes a statement inside `loop`, as far as the statements there need it; if its array is a
/// temporary, in a buffer of that part alone.
/// Errors   a statement outside of the loop reads the array; an index that differs from the
///          producer's in an axis of the loops around; C += ... that would be added again
void compute_at(loop_program& program, std::uint32_t block, std::uint32_t loop);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/compute_at.ipp>
#endif
