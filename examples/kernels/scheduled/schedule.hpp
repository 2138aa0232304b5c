// examples/kernels/scheduled/schedule.hpp - the parameters of a schedule of three split loops.
// SPDX-License-Identifier: MIT
// Source   the templates of TACO's scheduling language in Hellsten et al., "BaCO", ASPLOS 2023, Sec.
//          5.2: splits, unrolling, orders of loops that traverse a compressed array concordantly
#pragma once

#include <attune/attune.hpp>

namespace kernels::schedule {

inline constexpr auto rows = attune::ordinal<"ROWS">(attune::powers_of_two(1, 4096));
inline constexpr auto entries = attune::ordinal<"ENTRIES">(attune::powers_of_two(1, 256));
inline constexpr auto columns = attune::ordinal<"COLUMNS">(attune::powers_of_two(1, 64));
/// Loops over 0 tiles of rows, 1 rows of a tile, 2 tiles of entries, 3 entries of a tile, 4 tiles
/// of columns, 5 columns of a tile; the outermost one first.
inline constexpr auto order = attune::permutation<"ORDER", 6>();
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 16));
inline constexpr auto vector = attune::ordinal<"VECTOR">(attune::powers_of_two(1, 16));
inline constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 256));
inline constexpr auto dynamic = attune::boolean<"DYNAMIC">();
inline constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));

/// 88 million configurations: entries are in a row, so that both loops over rows stand outside both
/// over entries.
inline constexpr auto space =
    attune::space(rows, entries, columns, order, unroll, vector, chunk, dynamic, threads)
        .where(order.position(0) < order.position(2), order.position(0) < order.position(3),
               order.position(1) < order.position(2), order.position(1) < order.position(3));

/// The same where threads may share rows alone: columns are summed up.
inline constexpr auto space_of_sums =
    attune::space(rows, entries, columns, order, unroll, vector, chunk, dynamic, threads)
        .where(order.position(0) < order.position(2), order.position(0) < order.position(3),
               order.position(1) < order.position(2), order.position(1) < order.position(3),
               threads == 1 || order.position(0) == 0 || order.position(1) == 0);

} // namespace kernels::schedule
