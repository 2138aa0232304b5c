// tests/support/minimal_acquisition.hpp : only what the concept `acquisition` promises
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/acquisition/acquisition.hpp>

/// The lowest mean is best.
struct minimal_acquisition {
    [[nodiscard]] double score(double mean, double, double) const { return -mean; }
};
