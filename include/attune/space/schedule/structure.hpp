// attune/space/schedule/structure.hpp - a number that tells programs apart: equal where their code is.
// SPDX-License-Identifier: MIT
// Source   the structural hash of TVM's MetaSchedule, by which it measures each program once
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Equal for programs with equal loops (order, steps, kinds, copies of bodies), blocks, buffers,
/// layouts and copies, and equal statements, whatever the names of axes, arrays and buffers, and
/// the numbers of loops and buffers. Loops of one step are not written and do not count, but for
/// where a reduction begins and what the compiler may unroll. Other programs have different
/// numbers, but for chance: 64 bits.
/// Cost     one walk over the program, microseconds
[[nodiscard]] std::uint64_t structure_of(loop_program const& program);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/structure.ipp>
#endif
