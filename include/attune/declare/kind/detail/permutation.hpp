// attune/declare/kind/detail/permutation.hpp - the functions of a permutation.
// SPDX-License-Identifier: MIT
// Source   to and from the unit cube by random keys (Bean 1994)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/list_distance.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A permutation or a tile as "{2, 0, 1}".
inline std::string list_text(parameter_description const& p, coordinate at)
{
    return text_of_elements(elements_at(p, at.index));
}
[[nodiscard]] inline std::size_t one_per_part(parameter_description const& p) { return p.parts; }

namespace permutation_kind {

inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    auto const wanted = parse_integers(without_spaces(text));
    if (!wanted || wanted->size() != p.parts) return {};
    std::vector<std::int64_t> items = *wanted;
    std::sort(items.begin(), items.end());
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i] != static_cast<std::int64_t>(i)) return {};
    return coordinate{permutation_rank(*wanted), 0};
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return permutation_distance(elements_at(p, a.index), elements_at(p, b.index), p.metric);
}
/// Offers each swap of two items.
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::vector<std::int64_t> order = elements_at(p, at.index);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            std::swap(order[i], order[j]);
            take({permutation_rank(order), 0});
            std::swap(order[i], order[j]);
        }
}
/// The place of each item, divided by the last one.
inline void to_unit(parameter_description const& p, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    std::vector<std::int64_t> const items = elements_at(p, at.index);
    double const last = std::max(1.0, static_cast<double>(items.size()) - 1);
    for (std::size_t place = 0; place < items.size(); ++place)
        out[static_cast<std::size_t>(items[place])] = static_cast<double>(place) / last;
}
/// The items sorted by their numbers.
inline coordinate from_unit(parameter_description const&, std::span<double const>,
                            std::span<double const> at)
{
    std::vector<std::int64_t> items(at.size());
    for (std::size_t item = 0; item < items.size(); ++item)
        items[item] = static_cast<std::int64_t>(item);
    auto const key = [&](std::int64_t item) { return at[static_cast<std::size_t>(item)]; };
    std::sort(items.begin(), items.end(), [&](std::int64_t a, std::int64_t b) {
        return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
    return {permutation_rank(items), 0};
}

} // namespace permutation_kind

} // namespace attune::inline ATTUNE_ABI::detail
