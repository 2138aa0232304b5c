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

namespace detail {

/// The techniques of a problem, the one with the highest affinity first, of equal ones that with
/// more requests. Only those that are looked at are sorted: a problem may have 1e5 of them.
class affinity_order {
public:
    explicit affinity_order(representation const& of)
    {
        left_.reserve(of.uses.size());
        for (std::size_t i = 0; i < of.uses.size(); ++i)
            if (auto const affinity = search_affinity(of.uses[i]))
                left_.push_back({*affinity, i, &of.uses[i]});
        std::make_heap(left_.begin(), left_.end());
    }
    /// The next one; none at the end.
    [[nodiscard]] technique_use const* next()
    {
        if (left_.empty()) return nullptr;
        std::pop_heap(left_.begin(), left_.end());
        technique_use const* const out = left_.back().use;
        left_.pop_back();
        return out;
    }

private:
    struct entry {
        double affinity = 0;
        std::size_t place = 0;
        technique_use const* use = nullptr;

        /// Whether it comes later.
        bool operator<(entry const& other) const
        {
            if (affinity != other.affinity) return affinity < other.affinity;
            if (use->requests != other.use->requests) return use->requests < other.use->requests;
            return place > other.place;
        }
    };
    std::vector<entry> left_; // a heap
};

} // namespace detail

ATTUNE_INLINE std::vector<technique_use> ranked_by_affinity(representation const& of,
                                                            technique_filter const& usable)
{
    std::vector<technique_use> out;
    detail::affinity_order order(of);
    while (technique_use const* const use = order.next())
        if (!usable || usable(use->name)) out.push_back(*use);
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
    struct entry {
        double distance = 0;
        double digits = 0;
        representation const* of = nullptr;
    };
    std::vector<entry> near;
    for (representation const& r : past.representations())
        near.push_back({structure_distance(structure, r.structure),
                        digits_distance(structure, r.structure),
                        &r});
    attune::detail::sort_stably(near, [](entry const& a, entry const& b) {
        if (a.distance != b.distance) return a.distance < b.distance;
        return a.digits != b.digits ? a.digits < b.digits : a.of->runs > b.of->runs;
    });
    std::vector<technique_advice> out;
    for (auto const& [distance, digits, r] : near) {
        if (out.size() >= most) break;
        detail::affinity_order order(*r);
        while (technique_use const* const use = out.size() < most ? order.next() : nullptr) {
            if (usable && !usable(use->name)) continue;
            if (std::ranges::find(out, use->name, &technique_advice::technique) != out.end())
                continue;
            out.push_back({.technique = use->name,
                           .affinity = *search_affinity(*use),
                           .problem = r->label,
                           .distance = distance});
        }
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
        if (auto const correlation = affinity_correlation(uses, r))
            alike.emplace_back(*correlation, &r);
    attune::detail::sort_stably(alike, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first > b.first : a.second->runs > b.second->runs;
    });
    for (auto const& [correlation, r] : alike) {
        if (correlation <= 0) break;
        detail::affinity_order order(*r);
        while (technique_use const* const use = order.next()) {
            if (std::ranges::find(in_use, use->name) != in_use.end()) continue;
            if (usable && !usable(use->name)) continue;
            return technique_advice{.technique = use->name,
                                    .affinity = *search_affinity(*use),
                                    .problem = r->label,
                                    .correlation = correlation};
        }
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::search
