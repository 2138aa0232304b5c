// attune/search/meta/recommendation.ipp - sorts problems by similarity, techniques by affinity; gains of near problems.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/search/meta/recommendation.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

ATTUNE_INLINE std::optional<usual_gain> usual_gain_of(technique_history const& past,
                                                      space_structure const& structure,
                                                      std::string_view label)
{
    usual_gain out;
    tuning_gains all;
    for (representation const& r : past.representations()) {
        if (r.gains.count() == 0) continue;
        if (!label.empty() && r.label == label) {
            if (r.structure == structure) out.own = r.gains.quantile(.5);
            continue;
        }
        double const distance = structure_distance(structure, r.structure);
        if (out.problems > 0 && distance > out.distance) continue;
        if (out.problems == 0 || distance < out.distance) {
            all = {};
            out.problems = 0;
            out.distance = distance;
        }
        all.add_all(r.gains);
        ++out.problems;
    }
    if (out.problems == 0) return {};
    out.tunings = all.count();
    out.low = *all.quantile(.2);
    out.median = *all.quantile(.5);
    out.high = *all.quantile(.8);
    return out;
}

ATTUNE_INLINE std::string usual_gain_text(usual_gain const& gain)
{
    auto const number = [](double v) { return attune::detail::formatted("%.3g", v); };
    using attune::detail::count_text;
    std::string out = "tuning usually makes such a space " + number(gain.median) +
                      " times as fast (a fifth of the tunings gained at most " + number(gain.low) +
                      ", a fifth more than " + number(gain.high) +
                      "): " + count_text(gain.tunings, "tuning") + " of " +
                      count_text(gain.problems, "kernel") + ", distance " + number(gain.distance);
    if (!gain.own) return out;
    out += "; this one " + number(*gain.own) + " times";
    if (gain.is_own_poor())
        out += ": less than four in five; its space lacks what helps elsewhere, or its default is "
               "good";
    return out;
}

namespace detail {

/// The techniques of a problem, highest affinity first, of equal ones those with more requests
/// first. Sorts only those that next() returns: a problem may have 1e5 techniques.
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
    /// The next technique; null at the end.
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

        /// Returns true if this entry comes later.
        bool operator<(entry const& other) const
        {
            if (affinity != other.affinity) return affinity < other.affinity;
            if (use->requests != other.use->requests) return use->requests < other.use->requests;
            return place > other.place;
        }
    };
    std::vector<entry> left_; // a heap
};

/// A problem of a history and the distance of its structure.
struct near_problem {
    double distance = 0;
    double digits = 0; ///< digits_distance()
    representation const* of = nullptr;
};
/// The problem with the nearest structure first.
[[nodiscard]] inline std::vector<near_problem> nearest_first(technique_history const& past,
                                                             space_structure const& structure)
{
    std::vector<near_problem> out;
    for (representation const& r : past.representations())
        out.push_back({structure_distance(structure, r.structure),
                       digits_distance(structure, r.structure), &r});
    attune::detail::sort_stably(out, [](near_problem const& a, near_problem const& b) {
        if (a.distance != b.distance) return a.distance < b.distance;
        return a.digits != b.digits ? a.digits < b.digits : a.of->runs > b.of->runs;
    });
    return out;
}

[[nodiscard]] inline std::string reason_number(double value)
{
    return attune::detail::formatted("%.2g", value);
}
/// @param among  empty: all problems
[[nodiscard]] inline std::string most_alike(double distance, std::string const& among = {})
{
    return ", whose space is the most alike" + among + " (distance " + reason_number(distance) +
           ")";
}

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
    std::string out = advice.technique + ": " + detail::reason_number(advice.affinity) +
                      " new bests per request in '" + advice.problem + "'";
    if (advice.distance) out += detail::most_alike(*advice.distance);
    if (advice.correlation)
        out += ", where techniques do as they do here (correlation " +
               detail::reason_number(*advice.correlation) + ")";
    return out;
}
ATTUNE_INLINE std::string advice_text(strategy_advice const& advice)
{
    auto const gained = [](double gain, std::string const& by, std::size_t of) {
        return attune::detail::formatted("%.3g", gain) + " times as fast by " + by +
               " (median of " + std::to_string(of) + ")";
    };
    return advice.strategy + ": tunings made '" + advice.problem +
           "' (all its inputs and devices)" +
           detail::most_alike(advice.distance, " of those whose strategies differ") + ", " +
           gained(advice.gain, "it", advice.tunings) + ", " +
           gained(advice.rival_gain, advice.rival, advice.rival_tunings);
}

ATTUNE_INLINE std::vector<technique_advice> recommend_start(technique_history const& past,
                                                            space_structure const& structure,
                                                            std::size_t most,
                                                            technique_filter const& usable)
{
    std::vector<technique_advice> out;
    for (auto const& [distance, digits, r] : detail::nearest_first(past, structure)) {
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

namespace detail {

/// Medians of tuning_gains whose ratio is larger differ by two steps or more. Own: equal gains near
/// a limit between steps fall on both sides, so medians one step apart may be equal.
inline constexpr double gains_apart = 1 + 1.5 * (gain_step - 1);
static_assert(gain_step < gains_apart && gains_apart < gain_step * gain_step);

} // namespace detail

ATTUNE_INLINE std::optional<strategy_advice> recommend_strategy(technique_history const& past,
                                                                space_structure const& structure,
                                                                technique_filter const& usable)
{
    struct entry {
        double gain = 1;
        strategy_gains const* of = nullptr;
    };
    for (auto const& [distance, digits, r] : detail::nearest_first(past, structure)) {
        std::vector<entry> known;
        for (strategy_gains const& one : r->strategies)
            if (one.gains.count() > 1 && (!usable || usable(one.name)))
                known.push_back({*one.gains.quantile(.5), &one});
        attune::detail::sort_stably(known, [](entry const& a, entry const& b) {
            if (a.gain != b.gain) return a.gain > b.gain;
            return a.of->gains.count() > b.of->gains.count();
        });
        auto const rival = std::find_if(known.begin(), known.end(), [&](entry const& one) {
            return one.gain * detail::gains_apart < known.front().gain;
        });
        if (rival == known.end()) continue;
        entry const& best = known.front();
        return strategy_advice{.strategy = best.of->name,
                               .gain = best.gain,
                               .tunings = best.of->gains.count(),
                               .rival = rival->of->name,
                               .rival_gain = rival->gain,
                               .rival_tunings = rival->of->gains.count(),
                               .problem = r->label,
                               .distance = distance};
    }
    return {};
}

} // namespace attune::inline ATTUNE_ABI::search
