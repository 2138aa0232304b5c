// attune/search/local/wide_climb.hpp - small changes of the best, where a space is too wide for a model.
// SPDX-License-Identifier: MIT
// Source   own; the moves of an order are those of a tour: 2-opt (Croes 1958), Or-opt (Or 1976)
// Bench    bench/search/tsp.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// A hill climber for arrays and long permutations. It changes the best configuration of ten random
/// ones: a section of an order is moved or reversed, and elements of an array move by about a tenth
/// of their range. At first it changes a third of an array at once, later one element. A change
/// that is not worse stays.
/// Cost   that of a copy of an order per configuration
class wide_climb : public stepwise_searcher {
public:
    explicit wide_climb(chain_of_trees space, std::uint64_t seed = 0);
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/wide_climb.ipp>
#endif
