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
#include <attune/remember/files/event_log.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/meta/technique_use.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
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
    /// The search that was named proposes the same again, and found all of it: a session that goes
    /// on with what another one found says nothing of its own search's gain.
    bool is_by_strategy = false;
    std::string problem{};      ///< why it says nothing; empty: it does
    bool is_of_another = false; ///< the problem: another search or another space made it
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
    /// What the search proposed in a part of the space is in the log, too.
    using part_type = std::optional<kept_settings>; ///< of narrow()
    bool narrow(part_type const&) { return true; }
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

/// Whether it begins with what another session found: outcomes that were told before they were
/// asked for. The default, which is told first, is none.
[[nodiscard]] inline bool knows_more_than_it_asked(std::vector<event> const& events)
{
    std::unordered_set<point, point_hash> known;
    bool has_default = false;
    for (event const& e : events) {
        if (e.kind == event_kind::asked) known.insert(e.points.begin(), e.points.end());
        if (e.kind != event_kind::told) continue;
        bool const is_new = known.insert(e.points.front()).second;
        if (is_new && has_default) return true;
        has_default = true;
    }
    return false;
}

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
    any_searcher again = search_for(by.make, space, session.seed, session.events);
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
    out.is_of_another = !calls.problem.empty();
    if (!out.problem.empty()) return out;
    out.is_by_strategy = !is_by_name && !knows_more_than_it_asked(session.events);
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

/// A hash of what `before` is one of, and then `bits`.
[[nodiscard]] inline std::uint64_t hash_and(std::uint64_t before, std::uint64_t bits) noexcept
{
    std::uint64_t const both = ((before << 7 | before >> 57) ^ bits) * 0xff51afd7ed558ccdULL;
    return both ^ both >> 32;
}

/// Of each session the latest one that goes on with it: of its key and seed, with all its outcomes
/// first and more after them. A tuning in slices logs a session for each slice. Nothing: none does.
/// Cost   O(outcomes); outcomes are compared by hashes of 64 bits
[[nodiscard]] inline std::vector<std::optional<std::size_t>>
latest_of_each(std::vector<salvaged_log::entry> const& sessions)
{
    std::vector<std::optional<std::size_t>> out(sessions.size());
    std::unordered_map<std::uint64_t, std::size_t> latest; // by the outcomes before its last
    for (std::size_t i = sessions.size(); i-- > 0;) {
        logged_session const& session = sessions[i].session;
        std::uint64_t hash = hash_and(std::hash<std::string>{}(session.key), session.seed);
        std::vector<std::uint64_t> before; // of the first outcomes: none, one, two and so on
        for (event const& e : session.events) {
            if (e.kind != event_kind::told) continue;
            before.push_back(hash);
            auto const* const m = std::get_if<measurement>(&*e.result);
            double const value = m != nullptr ? m->value : -1;
            hash = hash_and(hash, point_hash{}(e.points.front()));
            hash = hash_and(hash, std::bit_cast<std::uint64_t>(value));
        }
        if (auto const at = latest.find(hash); at != latest.end()) out[i] = at->second;
        for (std::uint64_t const one : before)
            latest.emplace(one, i);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
