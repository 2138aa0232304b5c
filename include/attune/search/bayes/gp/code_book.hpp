// attune/search/bayes/gp/code_book.hpp - the combinations of levels that occur among candidates.
// SPDX-License-Identifier: MIT
// Source   own: a kernel that multiplies (or adds) over features is looked up once per group. A
//          dozen features make three or four groups, because derived ones are functions of
//          parameters.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Features that are looked up together.
struct feature_group {
    std::vector<std::size_t> features;
    /// level[k][c]: level of features[k] in combination c; only combinations that occur.
    std::vector<std::vector<std::uint32_t>> level;
    std::vector<std::uint16_t> code; ///< one per point: its combination

    [[nodiscard]] std::size_t combinations() const noexcept { return level.front().size(); }
};

/// m points, every feature either in one group or direct.
struct code_book {
    std::size_t points = 0;
    std::vector<feature_group> groups;
    /// Continuous features, and those with more than 65535 levels among the points.
    std::vector<std::size_t> direct;

    /// Keeps point i where keep[i] is not 0.  @pre  keep.size() == points
    void keep_only(std::span<char const> keep);
};

/// Cost     about d^2 look-ups of up to 1024 points, and d of all
[[nodiscard]] code_book code_book_of(attune::feature_map const& map,
                                     attune::feature_table const& points);

} // namespace attune::inline ATTUNE_ABI::detail::gp

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/gp/code_book.ipp>
#endif
