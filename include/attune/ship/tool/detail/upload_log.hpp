// attune/ship/tool/detail/upload_log.hpp - what techniques gained in tunings that were logged.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.3: a database of results is repeated in the order of time,
//          and new bests are credited to who proposed them
// tested by ship/tool/techniques.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/meta/technique_use.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/logged_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// What one logged session says.
struct session_gains {
    std::vector<search::technique_use> uses{};
    double gain = 0; ///< time of the first outcome, the default's, over the best; 0: unknown
    bool is_repeated = false; ///< the search that was named proposes the same again
    std::string problem{};    ///< why it says nothing; empty: it does
};

/// Whether a log says who proposed what. A search that is one technique has no names, nor have
/// older logs.
[[nodiscard]] inline bool has_names(std::vector<event> const& events)
{
    return std::any_of(events.begin(), events.end(), [](event const& e) { return !e.by.empty(); });
}

/// Asks what a log has, and counts for those who proposed it there. Models `searcher`.
class logged_proposals {
public:
    /// @pre  `events` outlive this object
    explicit logged_proposals(std::vector<event> const& events)
        : events_(&events)
    {
        for (event const& e : events)
            if (!e.by.empty()) by_.try_emplace(e.points.front(), e.by);
    }
    [[nodiscard]] std::vector<point> ask(std::size_t)
    {
        while (next_ < events_->size())
            if (event const& e = (*events_)[next_++]; e.kind == event_kind::asked) return e.points;
        return {};
    }
    void tell(point const& p, outcome const& result)
    {
        auto const* const m = std::get_if<measurement>(&result);
        bool const is_best = m != nullptr && std::isfinite(m->value) && m->value < best_;
        if (is_best) best_ = m->value;
        auto const by = by_.find(p);
        if (by == by_.end()) return;
        search::technique_use& use = uses_[by->second];
        ++use.requests;
        if (is_best) ++use.new_bests;
        by_.erase(by); // told again it is no request
    }
    [[nodiscard]] std::vector<search::technique_use> uses() const
    {
        std::vector<search::technique_use> out;
        for (auto const& [name, use] : uses_)
            out.push_back({name, use.requests, use.new_bests});
        return out;
    }

private:
    std::vector<event> const* events_;
    std::size_t next_ = 0;
    std::unordered_map<point, std::string, point_hash> by_;
    std::map<std::string, search::technique_use> uses_;
    double best_ = std::numeric_limits<double>::infinity();
};

/// Repeats a session with the search that made it: a search that chooses among techniques knows
/// again which of them proposed what. Any other is one technique, whose name is `by.name`. Where
/// that proposes something else by now, or a line is missing, the names in the log count.
[[nodiscard]] inline session_gains
gains_of(logged_session const& session, chain_of_trees const& space, search::technique const& by)
{
    session_gains out;
    if (session.events.empty() || session.events.back().kind != event_kind::chosen) {
        out.problem = "it has not ended";
        return out;
    }
    bool is_by_name = session.damaged;
    any_searcher again = by.make(space, session.seed);
    replayed_calls calls;
    if (!session.damaged) {
        calls = repeat_calls(again, space, session.events);
        out.problem = calls.problem;
        is_by_name = !out.problem.empty();
    } else
        out.problem = "a line cannot be read, and the others do not say who proposed what";
    if (is_by_name && has_names(session.events)) {
        again = logged_proposals(session.events);
        calls = repeat_calls(again, space, session.events);
        out.problem = calls.problem;
    }
    if (!out.problem.empty()) return out;
    out.is_repeated = !is_by_name;
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
    // The line that is missing may be that of the default, or of the best.
    if (first > 0 && best > 0 && best <= first && !session.damaged) out.gain = first / best;
    return out;
}

/// Whether `later` is `earlier` and goes on: a tuning in slices logs a session for each slice,
/// which begins with all outcomes of those before it.
[[nodiscard]] inline bool goes_on_in(logged_session const& earlier, logged_session const& later)
{
    if (earlier.key != later.key || earlier.seed != later.seed) return false;
    auto const outcomes = [](logged_session const& of) {
        std::vector<event const*> out;
        for (event const& e : of.events)
            if (e.kind == event_kind::told) out.push_back(&e);
        return out;
    };
    std::vector<event const*> const a = outcomes(earlier);
    std::vector<event const*> const b = outcomes(later);
    auto const value_of = [](event const& e) {
        auto const* const m = std::get_if<measurement>(&*e.result);
        return m != nullptr ? m->value : -1;
    };
    return a.size() < b.size() && std::equal(
                                      a.begin(),
                                      a.end(),
                                      b.begin(),
                                      [&](event const* x, event const* y) {
                                          return x->points == y->points &&
                                                 value_of(*x) == value_of(*y);
                                      });
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
