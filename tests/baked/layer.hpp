// tests/baked/layer.hpp - the data of a layer that a release computes, by record and program alike.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace layer_data {

inline constexpr std::size_t rows = 60;
inline constexpr std::size_t columns = 80;
inline constexpr std::size_t inner = 65;

/// Multiples of a quarter: products and sums of them are exact.
inline std::vector<float> some(std::size_t count, int first)
{
    std::vector<float> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<float>((static_cast<int>(i * 7 % 11) + first) % 9 - 4) * 0.25f);
    return out;
}

} // namespace layer_data
