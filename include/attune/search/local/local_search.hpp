// attune/search/local/local_search.hpp - descent to the nearest local optimum, from many starts.
// SPDX-License-Identifier: MIT
// Source   first-improvement descent with random restarts, e.g. Aarts & Lenstra 1997 ch. 1; the
//          neighbours are those of Kernel Tuner's "Hamming" method
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct local_search_options {
    std::size_t starts = 10;      ///< random configurations, of which the best is the start
    std::size_t most_values = 32; ///< most values of one parameter that are tried, at random
};

/// Tries the configurations that differ in one parameter, in random order, and moves to the first
/// better one. Restarts elsewhere if there is none.
class local_search : public stepwise_searcher {
public:
    explicit local_search(chain_of_trees space, std::uint64_t seed = 0,
                          local_search_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/local_search.ipp>
#endif
