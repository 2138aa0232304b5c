// attune/ship/tool/detail/upload_log.hpp - what techniques gained in tunings that were logged.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.3: a database of results is repeated in the order of time,
//          and new bests are credited to who proposed them
// tested by ship/tool/techniques.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/meta/technique_use.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/logged_search.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// What one logged session says.
struct session_gains {
    std::vector<search::technique_use> uses{};
    double gain = 0;       ///< time of the first outcome, the default's, over the best; 0: unknown
    std::string problem{}; ///< why it says nothing; empty: it does
};

/// Repeats a session with the search that made it: a search that chooses among techniques knows
/// again which of them proposed what. Any other is one technique, whose name is `by.name`.
[[nodiscard]] inline session_gains
gains_of(logged_session const& session, chain_of_trees const& space, search::technique const& by)
{
    session_gains out;
    if (session.events.empty() || session.events.back().kind != event_kind::chosen) {
        out.problem = "it has not ended";
        return out;
    }
    any_searcher again = by.make(space, session.seed);
    replayed_calls const calls = repeat_calls(again, space, session.events);
    out.problem = session.damaged ? "a line cannot be read" : calls.problem;
    if (!out.problem.empty()) return out;
    std::unordered_set<point, point_hash> asked;
    for (event const& e : session.events)
        if (e.kind == event_kind::asked) asked.insert(e.points.begin(), e.points.end());
    out.uses = again.uses();
    search::technique_use alone{by.name};
    double first = 0;
    double best = std::numeric_limits<double>::infinity();
    for (auto const& [at, result] : calls.told) {
        auto const* const m = std::get_if<measurement>(&result);
        bool const is_best = m != nullptr && m->value < best;
        if (is_best) best = m->value;
        if (m != nullptr && &at == &calls.told.front().first) first = m->value;
        if (asked.erase(at) == 0) continue; // the default, or what was known before
        ++alone.requests;
        if (is_best) ++alone.new_bests;
    }
    alone.requests += calls.pruned.size(); // asked, and no new best: as a bandit counts them
    if (out.uses.empty()) out.uses.push_back(alone);
    if (first > 0 && best > 0 && best <= first) out.gain = first / best;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
