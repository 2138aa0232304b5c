// attune/tune/loop/detail/logged_outcomes.hpp - what a log says of configurations, without the calls of its search.
// SPDX-License-Identifier: MIT
// tested by tune/loop/logged_search.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/tune/loop/session_memory.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether the times of a configuration give the outcome that the search was told.
[[nodiscard]] inline bool agrees(timing_record const& timing, outcome const& told)
{
    auto const* const m = std::get_if<measurement>(&told);
    if (m == nullptr) return false;
    measurement const again = estimate_of(timing);
    return again.value == m->value && again.low == m->low && again.high == m->high &&
           again.samples == m->samples;
}

/// What is known of one configuration.
struct logged_outcome {
    std::vector<event> before{}; ///< compiled, first_run, sampled, code_metrics
    event end{};                 ///< told or pruned: the last of them
};

/// The first outcome, or the times that it was made of.
[[nodiscard]] inline std::vector<event>::const_iterator
first_outcome(std::vector<event> const& events)
{
    return std::find_if(events.begin(), events.end(), [](event const& e) {
        return e.kind == event_kind::told || (e.kind == event_kind::sampled && e.text.empty());
    });
}

/// In the order in which they came, without those that are not what the times before them say. All
/// are compared with the first: where that is such a one, there are none.
/// @pre  each event about a configuration has one point; a told one has a result
[[nodiscard]] inline std::vector<logged_outcome> outcomes_in(std::vector<event> const& events)
{
    struct known_facts {
        std::vector<event> code{};
        std::optional<event> sampled{}; ///< not told yet
        std::optional<logged_outcome> known{};
    };
    std::unordered_map<point, known_facts, point_hash> all;
    std::vector<point> order;
    for (event const& e : events) {
        if (e.points.size() != 1 || e.kind == event_kind::asked) continue;
        known_facts& of = all[e.points.front()];
        if (e.kind == event_kind::compiled || e.kind == event_kind::first_run ||
            e.kind == event_kind::code_metrics)
            of.code.push_back(e);
        if (e.kind == event_kind::sampled && e.text.empty()) of.sampled = e;
        if (e.kind != event_kind::told && e.kind != event_kind::pruned) continue;
        std::optional<event> const sampled = std::exchange(of.sampled, {});
        if (!of.known) order.push_back(e.points.front());
        of.known = logged_outcome{of.code, e};
        if (e.kind == event_kind::pruned || !sampled) continue;
        if (!agrees(*sampled->timing, *e.result)) {
            std::erase(order, e.points.front());
            of = {};
        } else {
            of.known->before.push_back(*sampled);
        }
    }
    std::vector<logged_outcome> out;
    auto const first = first_outcome(events);
    if (first != events.end() && !all[first->points.front()].known) return out;
    for (point const& at : order)
        out.push_back(*std::move(all.at(at).known));
    return out;
}

/// Adds the outcomes of configurations of which nothing is known yet.
inline void add_outcomes(std::vector<logged_outcome>& to, std::vector<known_outcome> const& more)
{
    std::unordered_set<point, point_hash> there;
    for (logged_outcome const& one : to)
        there.insert(one.end.points.front());
    for (known_outcome const& one : more)
        if (there.insert(one.at).second)
            to.push_back(
                {{}, {.kind = event_kind::told, .points = {one.at}, .result = one.result}});
}

} // namespace attune::inline ATTUNE_ABI::detail
