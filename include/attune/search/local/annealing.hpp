// attune/search/local/annealing.hpp - simulated annealing over the valid configurations.
// SPDX-License-Identifier: MIT
// Source   Kirkpatrick, Gelatt, Vecchi 1983; one step in five goes to any value of a parameter, the
//          others to the next one, as in Kernel Tuner. Own: temperatures in standard deviations of
//          the (logarithmic) objective, so that they have no unit.
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct annealing_options {
    std::size_t starts = 10;       ///< random configurations; the search starts at the best of them
    std::size_t evaluations = 200; ///< per cooling; the next one starts at the best known
    double hot = 0.2;              ///< first temperature: this excess is accepted with chance 1/e
    double cold = 0.01;            ///< last temperature
    double far = 0.2;              ///< share of steps that may take any value of a parameter
};

/// Walks to random neighbours; worse ones are accepted less and less often.
class annealing : public stepwise_searcher {
public:
    explicit annealing(chain_of_trees space, std::uint64_t seed = 0,
                       annealing_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/annealing.ipp>
#endif
