// attune/space/schedule/transform.hpp - changes of a program's loops that keep what it computes.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   the primitives of TVM's schedules (Feng et al. 2023, TensorIR)
//
// Each function checks first and changes then: a program whose change is refused (attune::error,
// one sentence) is as it was. Sums may be added up in another order.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What a split does with a number of iterations that the factor does not divide.
enum class split_rest : std::uint8_t {
    refused,
    tail, ///< the last outer iteration has fewer inner ones
};

/// Splits a loop in two: the loop itself is the outer one, each of its iterations has `factor` of
/// the former ones.
/// @return  the inner loop
/// Errors   factor < 1, a fused or vector loop, a rest that is refused
std::uint32_t split_loop(loop_program& program, std::uint32_t loop, std::int64_t factor,
                         split_rest rest = split_rest::tail);

/// Gives the listed loops this order, outermost first, in the places that they have.
/// Errors   loops that are not one chain (each the only item of the one around it), an inner loop
/// of
///          a split outside of its outer one, a vector loop that is not innermost, an argument of a
///          maximum (the first one counts)
void reorder_loops(loop_program& program, std::vector<std::uint32_t> const& order);

/// Makes one loop of two: `outer` runs through all pairs, `inner` fastest.
/// Errors   `inner` is not the only item of `outer`; both are over one axis; one of them is over a
///          spatial and the other one over a reduction axis
void fuse_loops(loop_program& program, std::uint32_t outer, std::uint32_t inner);

/// Runs the iterations of a loop in threads.
/// Errors   iterations that combine into one element, or that write one array; a parallel loop
///          around it
void parallelize(loop_program& program, std::uint32_t loop);

/// Makes the iterations of an innermost loop lanes of vectors.
/// Errors   not innermost, not of step 1, more than 256 or unknown iterations; a reduction axis
///          where spatial loops are further inside than its first loop, or in a buffer
void vectorize(loop_program& program, std::uint32_t loop);

/// Writes the body `copies` times per iteration; 0: once for each of all iterations.
/// Errors   all of more than 256 or of unknown iterations
void unroll(loop_program& program, std::uint32_t loop, std::uint32_t copies = 0);

/// Stores the vectors of a statement to memory, past the caches: for arrays that are larger than
/// these and are not read soon. Numbers that are no whole aligned vector are stored as ever.
/// Errors   a statement that combines values, or writes a temporary
void stream_stores(loop_program& program, std::uint32_t block);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/transform.ipp>
#endif
