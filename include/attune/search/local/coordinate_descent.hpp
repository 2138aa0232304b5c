// attune/search/local/coordinate_descent.hpp - sets one parameter after the other to its best value.
// SPDX-License-Identifier: MIT
// Source   exhaustive line search along coordinates with restarts, e.g. Wright 2015; in kernel
//          tuning it is called orthogonal search (Balaprakash et al. 2018)
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct coordinate_descent_options {
    std::size_t starts = 10;      ///< random configurations, of which the best is the start
    std::size_t most_values = 16; ///< most values of one parameter that are tried, at random
};

/// Goes through the parameters in random order, tries all values of one with the others unchanged,
/// and keeps the best. Restarts elsewhere after a pass without a change.
class coordinate_descent : public stepwise_searcher {
public:
    explicit coordinate_descent(chain_of_trees space, std::uint64_t seed = 0,
                                coordinate_descent_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/coordinate_descent.ipp>
#endif
