// attune/search/bayes/forest/coding.ipp - codes by the ranks of levels.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/forest/coding.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// The cell of a place in [0, 1].
[[nodiscard]] inline std::uint8_t cell_of(double place)
{
    return static_cast<std::uint8_t>(std::clamp(place * most_codes, 0.0, most_codes - 1.0));
}

/// The code of each level by its rank among `places`; equal places have equal codes.
/// @return  the number of codes
[[nodiscard]] inline std::uint32_t rank_levels(std::vector<double> const& places,
                                               std::vector<std::uint8_t>& out)
{
    std::vector<double> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    double const low = sorted.front();
    double const width = sorted.back() - low;
    for (double const p : places) {
        auto const rank = std::lower_bound(sorted.begin(), sorted.end(), p) - sorted.begin();
        out.push_back(sorted.size() <= most_codes ? static_cast<std::uint8_t>(rank)
                                                  : cell_of((p - low) / width));
    }
    return static_cast<std::uint32_t>(std::min<std::size_t>(sorted.size(), most_codes));
}

ATTUNE_INLINE coding::coding(feature_map const& features)
{
    auto const add = [&](std::size_t f, column about, std::vector<std::uint8_t> of_level) {
        about_.push_back(about);
        feature_.push_back(static_cast<std::uint32_t>(f));
        of_level_.push_back(std::move(of_level));
    };
    for (std::size_t f = 0; f < features.count(); ++f) {
        std::uint32_t const levels = features.levels(f);
        if (levels == 0) {
            add(f, {most_codes, false}, {});
            continue;
        }
        if (features.is_nominal(f)) {
            std::vector<std::uint8_t> codes;
            for (std::uint32_t v = 0; v < levels; ++v)
                codes.push_back(static_cast<std::uint8_t>(v % most_codes));
            add(f, {std::min(levels, most_codes), true}, std::move(codes));
            continue;
        }
        for (std::size_t i = 0; i < features.dimensions(f); ++i) {
            std::vector<double> places;
            for (std::uint32_t v = 0; v < levels; ++v)
                places.push_back(features.place(f, v)[i]);
            std::vector<std::uint8_t> codes;
            std::uint32_t const count = rank_levels(places, codes);
            add(f, {count, false}, std::move(codes));
        }
    }
}

ATTUNE_INLINE void coding::append(feature_table const& table, std::size_t first,
                                  code_table& out) const
{
    out.about = about_;
    out.code.resize(about_.size());
    for (std::size_t c = 0; c < about_.size(); ++c) {
        std::vector<std::uint8_t>& to = out.code[c];
        std::vector<std::uint8_t> const& of_level = of_level_[c];
        to.reserve(to.size() + table.points - first);
        if (of_level.empty()) {
            std::vector<double> const& from = table.real[feature_[c]];
            for (std::size_t row = first; row < table.points; ++row)
                to.push_back(cell_of(from[row]));
        } else {
            std::vector<std::uint32_t> const& from = table.level[feature_[c]];
            for (std::size_t row = first; row < table.points; ++row)
                to.push_back(of_level[from[row]]);
        }
    }
    out.points += table.points - first;
}

} // namespace attune::inline ATTUNE_ABI::detail::forest
