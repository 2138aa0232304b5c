// attune/space/schedule/transform.hpp - changes of a program's loops that keep its result.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   the primitives of TVM's schedules (Feng et al. 2023, TensorIR)
//
// Each function checks before it changes anything. If it refuses (attune::error, one sentence), the
// program is unchanged. The order of sums may change.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The rest of a split whose factor does not divide the iterations.
enum class split_rest : std::uint8_t {
    refused,
    tail, ///< the last outer iteration has fewer inner iterations
};

/// Splits a loop in two. The loop becomes the outer one; the inner loop has `factor` iterations.
/// @return  the inner loop
/// Errors   factor < 1; a fused or vector loop; a rest that `rest` refuses
std::uint32_t split_loop(loop_program& program, std::uint32_t loop, std::int64_t factor,
                         split_rest rest = split_rest::tail);

/// Puts the listed loops in this order, outermost first.
/// Errors   the loops are not one chain, each the only item of the loop around it; an inner loop of
///          a split would be outside its outer loop; a vector loop would not be innermost; the
///          statement is an argument of a maximum, of which the first counts
void reorder_loops(loop_program& program, std::vector<std::uint32_t> const& order);

/// Fuses two loops into one: `outer` runs through all pairs, `inner` fastest.
/// Errors   `inner` is not the only item of `outer`; both run over one axis; one runs over a
///          spatial axis, the other over a reduction axis
void fuse_loops(loop_program& program, std::uint32_t outer, std::uint32_t inner);

/// Runs the iterations of a loop in threads.
/// Errors   iterations combine into one element or write the same elements; a loop around it is
///          parallel
void parallelize(loop_program& program, std::uint32_t loop);

/// Makes lanes of vectors from the iterations of an innermost loop.
/// Errors   the loop is not innermost, has a step other than 1, or more than 256 or unknown
///          iterations; a reduction axis has spatial loops inside its first loop, or a buffer
void vectorize(loop_program& program, std::uint32_t loop);

/// Writes the body `copies` times per iteration; 0: once for each iteration, without the loop.
/// Errors   `copies` is 0, and the loop has more than 256 or unknown iterations
void unroll(loop_program& program, std::uint32_t loop, std::uint32_t copies = 0);

/// Stores the vectors of a statement to memory, past the caches. Use it for arrays that are larger
/// than the caches and are not read soon. Numbers outside whole aligned vectors go to the caches.
/// Errors   a statement that combines values, or writes a temporary
void stream_stores(loop_program& program, std::uint32_t block);

/// Computes the whole program once for each `step` values of an axis, so that its temporaries hold
/// only that part. Only steps of rewrite.hpp may come before this step.
/// @param in_threads  runs the iterations in threads
/// Errors   a statement does not have the axis, or uses its value; the axis does not cut an array
///          along its first dimension of more than one element; the step does not divide the
///          extent; the program has other steps
void slice_program(loop_program& program, std::uint32_t axis, std::int64_t step = 1,
                   bool in_threads = false);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/transform.ipp>
#endif
