// attune/space/query/sample_distinct.hpp - uniform samples without replacement.
// SPDX-License-Identifier: MIT
// Source   Bentley and Floyd, "Programming pearls: a sample of brilliance", CACM 30(9), 1987,
//          algorithm F2, on the numbers of the configurations
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// `count` distinct valid configurations in random order: every sequence of `count` of them is
/// equally likely, also when `count` is near the size. All of them, shuffled, when there are fewer.
///
/// With real parameters, or with 2^128 configurations or more, repeated draws of sample() are
/// skipped; the result is shorter than `count` only if a million draws in a row are repeated.
/// Errors  attune::error where sample() throws it
/// Cost    one random number and one walk of the trees per configuration; memory for all of them
[[nodiscard]] std::vector<point> sample_distinct(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/sample_distinct.ipp>
#endif
