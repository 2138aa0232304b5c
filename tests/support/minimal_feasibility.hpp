// tests/support/minimal_feasibility.hpp : only what the concept `feasibility` promises
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/surrogate.hpp>

#include <algorithm>

#include "minimal_surrogate.hpp"

/// As likely as the nearest point worked.
struct minimal_feasibility {
    using surrogate_type = minimal_surrogate;

    static double label(bool worked) { return worked ? 1.0 : 0.0; }
    static double chance(double mean, double variance)
    {
        return variance < 0.5 ? std::clamp(mean, 0.0, 1.0) : 0.5;
    }
};
