// bench/support/median.hpp - the middle of several numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace bench {

/// Of an even count the mean of the two in the middle; those may be infinite.
/// Errors  std::invalid_argument when there are none
[[nodiscard]] inline double median(std::vector<double> values)
{
    if (values.empty()) throw std::invalid_argument("a median of no numbers was asked for");
    std::size_t const half = values.size() / 2;
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

} // namespace bench
