// attune/search/bayes/objective_options.hpp - how measured values are transformed before modelling.
// SPDX-License-Identifier: MIT
//
// See objective.hpp
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

/// How values are compressed before they are standardised.
struct objective_options {
    bool logarithm = true;   ///< when every value is positive
    double bend_spans = 1;   ///< compression begins at median + this * (median - best)
    double bent_slope = 0.3; ///< slope beyond, in (0, 1]
    double unit = 0;         ///< the model's unit, of logarithms; 0: the deviation of the values
};

} // namespace attune::inline ATTUNE_ABI
