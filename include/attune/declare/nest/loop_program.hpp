// attune/declare/nest/loop_program.hpp - a tensor program with its loops: order, tiles, vectors, copies.
// SPDX-License-Identifier: MIT
//
// Loops are offsets: the value of an axis is the sum of the variables of the loops over it, so that
// a split needs no new index arithmetic. space/schedule/ changes loop programs, compile/nest/
// writes them as text.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// How the iterations of a loop are carried out.
enum class loop_kind : std::uint8_t { serial, parallel, vectorized, unrolled };

/// One axis of a loop. The variable runs through 0, step, 2 step, ... below what the enclosing loop
/// over the same axis leaves: its step, less at the end of the axis.
struct loop_range {
    std::uint32_t axis = no_index;
    std::int64_t step = 1; ///< >= 1

    [[nodiscard]] friend bool operator==(loop_range const&, loop_range const&) = default;
};

enum class item_kind : std::uint8_t { loop, block, copy };

/// What stands at one place of a program: an index into `loops`, `blocks` or `copies`.
struct program_item {
    item_kind kind{};
    std::uint32_t index = no_index;

    [[nodiscard]] friend bool operator==(program_item const&, program_item const&) = default;
};

struct program_loop {
    std::vector<loop_range> over; ///< one; of fused loops several, the last one runs fastest
    loop_kind kind{};
    std::uint32_t unroll = 0; ///< of a serial loop: copies of its body; 0: the compiler decides
    std::vector<program_item> body; ///< in order; empty: the loop is no longer in the program
};

/// A buffer that stands for an array in one access.
struct buffer_use {
    std::uint32_t access = no_index; ///< index into the nest's accesses
    std::uint32_t buffer = no_index;

    [[nodiscard]] friend bool operator==(buffer_use const&, buffer_use const&) = default;
};

/// One statement, for one value of its axes. A reduction begins where its reduction axes are at 0.
struct program_block {
    std::uint32_t statement = no_index;
    std::uint32_t target = no_index; ///< the buffer it combines into; no_index: the array itself
    std::vector<buffer_use> reads;   ///< accesses that are not listed read their arrays
    bool is_streamed = false;        ///< its vectors are stored to memory, past the caches
};

/// A digit of the position in a buffer: coordinate / step, less what digits further out hold.
struct layout_digit {
    std::uint32_t coordinate = no_index;
    std::int64_t step = 1;

    [[nodiscard]] friend bool operator==(layout_digit const&, layout_digit const&) = default;
};

/// The part of an array that the iterations inside one loop need, in an order of its own.
struct program_buffer {
    std::string name; ///< a C++ identifier
    element_type element{};
    std::uint32_t array = no_index;
    std::uint32_t loop = no_index; ///< one buffer per iteration of it; no_index: of the program
    std::vector<affine_index> coordinates; ///< functions of the axes
    /// The array's element, as functions of the coordinates (a term's `axis` is one of those).
    std::vector<affine_index> source;
    std::vector<layout_digit> layout; ///< outermost first; all steps of a coordinate are multiples
                                      ///< of its next one, the last is 1
    bool is_register = false;         ///< small: its loops are unrolled
};

enum class copy_kind : std::uint8_t {
    load,  ///< array to buffer; 0 where the access is padded and the element outside
    begin, ///< of a reduction: the neutral value, or the array where an outer loop has begun it
    store, ///< buffer to array
};

struct program_copy {
    copy_kind kind{};
    std::uint32_t buffer = no_index;
    std::uint32_t access = no_index; ///< of a load: the one it serves
    std::uint32_t block = no_index;  ///< of begin and store: the one that combines into it
};

/// A program whose loops are stated. Loops, blocks and buffers keep their index when it is changed.
struct loop_program {
    nest_description nest; ///< what it computes; inline and rfactor change statements
    std::vector<program_loop> loops;
    std::vector<program_block> blocks;
    std::vector<program_buffer> buffers;
    std::vector<program_copy> copies;
    std::vector<program_item> body; ///< in order
};

/// The loops as stated: for each statement one loop per axis, spatial ones outermost, numbered from
/// the outermost one of the first statement on. The blocks have the indices of their statements.
/// Errors   attune::error: a description that is not consistent, such as an axis that does not
/// exist
[[nodiscard]] loop_program plain_program(nest_description nest);

namespace detail {

/// Whether a buffer is filled once for all calls, and not by each: the whole of a constant array.
[[nodiscard]] bool keeps_form(loop_program const& program, std::uint32_t buffer);

/// Whether a reduction's array can hold results that are not finished as the accumulator does:
/// equal types, wider reals, or sums and products of whole numbers, which wrap around.
[[nodiscard]] bool holds_parts(nest_description const& nest, nest_statement const& statement);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/loop_program.ipp>
#endif
