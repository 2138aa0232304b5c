// attune/search/local/annealing.hpp - walks from neighbour to neighbour: annealing, local search, coordinate descent.
// SPDX-License-Identifier: MIT
// tested by search/local/stepwise.cpp
// Source   annealing: Kirkpatrick, Gelatt, Vecchi 1983; one step in five goes to any value of a
//          parameter, the others to the next one, as in Kernel Tuner. Own: temperatures in standard
//          deviations of the (logarithmic) objective, so that they have no unit.
// Source   local_search: first-improvement descent with random restarts, e.g. Aarts & Lenstra 1997
//          ch. 1; the neighbours are those of Kernel Tuner's "Hamming" method
// Source   coordinate_descent: exhaustive line search along coordinates with restarts, e.g. Wright
//          2015; in kernel tuning it is called orthogonal search (Balaprakash et al. 2018)
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/local/stepwise.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

struct annealing_options {
    std::size_t starts = 10;       ///< random configurations; the search starts at the best of them
    std::size_t evaluations = 200; ///< per cooling; the next cooling starts at the best known
    double hot = 0.2;              ///< first temperature: this excess is accepted with chance 1/e
    double cold = 0.01;            ///< last temperature
    double far = 0.2;              ///< share of steps that may take any value of a parameter
};

/// Walks to random neighbours, and accepts worse ones less and less often.
class annealing : public stepwise_searcher {
public:
    explicit annealing(chain_of_trees space, std::uint64_t seed = 0,
                       annealing_options const& options = {});
};

/// Options of local_search.
struct local_search_options {
    std::size_t starts = 10;      ///< random configurations, of which the best is the start
    std::size_t most_values = 32; ///< most values of one parameter that are tried, at random
};

/// Tries the configurations that differ in one parameter, in random order, and moves to the first
/// better one. Restarts elsewhere if no configuration is better.
class local_search : public stepwise_searcher {
public:
    explicit local_search(chain_of_trees space, std::uint64_t seed = 0,
                          local_search_options const& options = {});
};

/// Options of coordinate_descent.
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
#include <attune/search/local/annealing.ipp>
#endif
