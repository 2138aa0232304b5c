// attune/declare/point.hpp - one configuration as plain data: one coordinate per parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Position of a configuration in one parameter: the index of a value in the table, or the value of
/// a real parameter. The unused member is 0.
struct coordinate {
    std::uint32_t index = 0;
    double real = 0;

    [[nodiscard]] friend bool operator==(coordinate const&, coordinate const&) = default;
};

/// One configuration: one coordinate per parameter, in the order of declaration.
using point = std::vector<coordinate>;

/// A hash for std::unordered_map and std::unordered_set keyed by `point`.
struct point_hash {
    [[nodiscard]] std::size_t operator()(point const& p) const noexcept
    {
        std::uint64_t h = 0x9e3779b97f4a7c15ULL;
        for (coordinate const& c : p) {
            h = (h ^ c.index ^ (std::bit_cast<std::uint64_t>(c.real) >> 1)) * 0xff51afd7ed558ccdULL;
            h ^= h >> 32;
        }
        return h;
    }
};

} // namespace attune::inline ATTUNE_ABI
