// attune/space/schedule/transform.hpp - changes of a program's loops that keep its result.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   the primitives of TVM's schedules (Feng et al. 2023, TensorIR)
//
// Each function checks before it changes anything: a refused change (attune::error, one sentence)
// leaves the program as it was. The order of sums may change.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The rest of a split whose factor does not divide the iterations.
enum class split_rest : std::uint8_t {
    refused,
    tail, ///< the last outer iteration has fewer inner ones
};

/// Splits a loop in two. The loop becomes the outer one; each of its iterations has `factor` of the
/// old ones.
/// @return  the inner loop
/// Errors   factor < 1, a fused or vector loop, a refused rest
std::uint32_t split_loop(loop_program& program, std::uint32_t loop, std::int64_t factor,
                         split_rest rest = split_rest::tail);

/// Puts the listed loops in this order, outermost first.
/// Errors   loops that are not one chain (each the only item of the one around it), an inner loop
/// of
///          a split outside of its outer one, a vector loop that is not innermost, an argument of a
///          maximum (the first one counts)
void reorder_loops(loop_program& program, std::vector<std::uint32_t> const& order);

/// Fuses two loops into one: `outer` runs through all pairs, `inner` fastest.
/// Errors   `inner` is not the only item of `outer`; both run over one axis; one runs over a
///          spatial axis, the other over a reduction axis
void fuse_loops(loop_program& program, std::uint32_t outer, std::uint32_t inner);

/// Runs the iterations of a loop in threads.
/// Errors   iterations that combine into one element or write one array; a parallel loop around it
void parallelize(loop_program& program, std::uint32_t loop);

/// Makes lanes of vectors from the iterations of an innermost loop.
/// Errors   not innermost, a step other than 1, more than 256 or unknown iterations; a reduction
///          axis with spatial loops inside its first loop, or in a buffer
void vectorize(loop_program& program, std::uint32_t loop);

/// Writes the body `copies` times per iteration; 0: once for each of all iterations.
/// Errors   copies 0 and more than 256, or unknown, iterations
void unroll(loop_program& program, std::uint32_t loop, std::uint32_t copies = 0);

/// Stores the vectors of a statement to memory, past the caches: for arrays that are larger than
/// the caches and are not read soon. Numbers outside whole aligned vectors are stored normally.
/// Errors   a statement that combines values, or writes a temporary
void stream_stores(loop_program& program, std::uint32_t block);

/// Computes the whole program once for each `step` values of an axis, so that its temporaries hold
/// that part alone. Call it first of all steps, except those of rewrite.hpp.
/// @param in_threads  runs the iterations in threads
/// Errors   a statement without the axis, or that uses its value; an array that is not cut along its
///          first dimensions of more than one element; a step that does not divide the extent; a
///          program with other steps
void slice_program(loop_program& program, std::uint32_t axis, std::int64_t step = 1,
                   bool in_threads = false);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/transform.ipp>
#endif
