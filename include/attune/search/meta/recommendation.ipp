// attune/search/meta/recommendation.ipp - sorts problems by likeness, techniques by affinity.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/recommendation.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE std::vector<technique_use> ranked_by_affinity(representation const& of,
                                                            technique_filter const& usable)
{
    std::vector<technique_use> out;
    for (technique_use const& use : of.uses)
        if (search_affinity(use) && (!usable || usable(use.name))) out.push_back(use);
    attune::detail::sort_stably(out, [](technique_use const& a, technique_use const& b) {
        double const of_a = *search_affinity(a);
        double const of_b = *search_affinity(b);
        return of_a != of_b ? of_a > of_b : a.requests > b.requests;
    });
    return out;
}

ATTUNE_INLINE std::string advice_text(technique_advice const& advice)
{
    auto const number = [](double v) { return attune::detail::formatted("%.2g", v); };
    std::string out = advice.technique + ": " + number(advice.affinity) +
                      " new bests per request in '" + advice.problem + "'";
    if (advice.distance)
        out += ", whose space is the most alike (distance " + number(*advice.distance) + ")";
    if (advice.correlation)
        out += ", where techniques do as they do here (correlation " + number(*advice.correlation) +
               ")";
    return out;
}

ATTUNE_INLINE std::vector<technique_advice> recommend_start(technique_history const& past,
                                                            space_structure const& structure,
                                                            std::size_t most,
                                                            technique_filter const& usable)
{
    std::vector<std::pair<double, representation const*>> near;
    for (representation const& r : past.representations())
        near.emplace_back(structure_distance(structure, r.structure), &r);
    attune::detail::sort_stably(near, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first < b.first : a.second->runs > b.second->runs;
    });
    std::vector<technique_advice> out;
    for (auto const& [distance, r] : near)
        for (technique_use const& use : ranked_by_affinity(*r, usable)) {
            if (out.size() >= most) return out;
            if (std::ranges::find(out, use.name, &technique_advice::technique) == out.end())
                out.push_back({.technique = use.name,
                               .affinity = *search_affinity(use),
                               .problem = r->label,
                               .distance = distance});
        }
    return out;
}

ATTUNE_INLINE std::optional<technique_advice> recommend_next(technique_history const& past,
                                                             std::span<technique_use const> uses,
                                                             std::span<std::string const> in_use,
                                                             technique_filter const& usable)
{
    std::vector<std::pair<double, representation const*>> alike;
    for (representation const& r : past.representations())
        if (auto const correlation = affinity_correlation(uses, r.uses))
            alike.emplace_back(*correlation, &r);
    attune::detail::sort_stably(alike, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first > b.first : a.second->runs > b.second->runs;
    });
    for (auto const& [correlation, r] : alike) {
        if (correlation <= 0) break;
        for (technique_use const& use : ranked_by_affinity(*r, usable))
            if (std::ranges::find(in_use, use.name) == in_use.end())
                return technique_advice{.technique = use.name,
                                        .affinity = *search_affinity(use),
                                        .problem = r->label,
                                        .correlation = correlation};
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::search
