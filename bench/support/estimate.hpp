// bench/support/estimate.hpp - a mean, and how far it may be from that of more runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace bench {

struct estimate {
    double mean = 0;
    double error = 0; ///< standard error of the mean; NaN for one value
};

/// @param values  at least one
[[nodiscard]] inline estimate estimate_of(std::vector<double> const& values)
{
    estimate out;
    double const n = static_cast<double>(values.size());
    for (double const v : values)
        out.mean += v / n;
    for (double const v : values)
        out.error += (v - out.mean) * (v - out.mean);
    out.error =
        n > 1 ? std::sqrt(out.error / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
    return out;
}

} // namespace bench
