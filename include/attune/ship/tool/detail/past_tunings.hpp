// attune/ship/tool/detail/past_tunings.hpp - reads past tunings from stores and logs: starts, gains of techniques.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.3: a database of results is repeated in the order of time,
//          and new bests are credited to their proposers
// tested by ship/tool/techniques.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/dispatch/choice/near_choice.hpp>
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
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A problem of a store with a similar space.
struct similar_problem {
    std::string name;
    double distance = 0; ///< problem_relation::distance, from parameters and inputs only
    past_session session{};
};

/// The `most` nearest problems that share a parameter with `space`, the nearest first. Leaves out
/// problems with predicted times, which are not comparable with measured ones.
/// @param without  a kernel to leave out
[[nodiscard]] inline std::vector<similar_problem> similar_problems(store_content& store,
                                                                   description const& space,
                                                                   std::string const& without,
                                                                   std::size_t most)
{
    std::vector<std::string> parameters;
    for (named_value const& v : named_values(space))
        parameters.emplace_back(v.name);
    named_texts const inputs = texts_of_inputs(space);
    std::vector<std::pair<problem_relation, listed_problem>> found;
    for (listed_problem& have : store.problems()) {
        bool const is_alike = std::any_of(
            have.problem.parameters.begin(), have.problem.parameters.end(), [&](auto const& name) {
                return std::find(parameters.begin(), parameters.end(), name) != parameters.end();
            });
        if (!is_alike || have.problem.key.kernel == without) continue;
        if (have.problem.key.device.ends_with(predicted_device)) continue; // no times
        stored_problem wanted = have.problem; // kernel, device and compiler are unknown here
        wanted.parameters = parameters;
        wanted.key.inputs = inputs;
        found.emplace_back(relate(have.problem, wanted), std::move(have));
    }
    sort_stably(found,
                [](auto const& a, auto const& b) { return a.first.distance < b.first.distance; });
    if (found.size() > most) found.resize(most);
    std::vector<similar_problem> out;
    for (auto const& [relation, have] : found)
        out.push_back({name_of(have.problem), relation.distance,
                       past_of({.past = store.history(have), .how = relation})});
    return out;
}

/// Gains of whole tunings by their strategies, from the winners of a store. Uses kernels with the
/// same parameters as `space`, and the structure of `space` for all. Predicted times do not count.
/// @param without  a kernel to leave out
[[nodiscard]] inline search::technique_history
strategies_in(store_content& store, description const& space, std::string const& without)
{
    std::vector<std::string> parameters;
    for (named_value const& v : named_values(space))
        parameters.emplace_back(v.name);
    std::sort(parameters.begin(), parameters.end());
    std::vector<search::representation> tunings;
    for (listed_problem const& have : store.problems()) {
        std::vector<std::string> parameters_then = have.problem.parameters;
        std::sort(parameters_then.begin(), parameters_then.end());
        if (parameters_then != parameters || have.problem.key.kernel == without) continue;
        if (have.problem.key.device.ends_with(predicted_device)) continue; // no times
        for (record const& one : have.best) {
            double const gain = objective_of(one.key).gain(one.best_s, one.default_s);
            if (one.strategy.empty() || one.interrupted || !(gain > 0)) continue;
            search::representation of{.label = have.problem.key.kernel,
                                      .structure = search::structure_of(space)};
            of.gains.add(gain);
            of.strategies = {{one.strategy, of.gains}};
            tunings.push_back(std::move(of));
        }
    }
    search::technique_history out;
    out.add_all(std::move(tunings));
    return out;
}

/// A configuration to begin with, and the reason.
struct start_advice {
    point at;
    std::string problem{}; ///< the nearest problem with it or with the nearest configuration;
                           ///< empty: from models
    double distance = 0;
    std::optional<double> of_best{}; ///< its time there over the best; empty: not tried
};

/// The best time of exactly these values in a session, and the best of all. Empty: no time.
struct tried_time {
    std::optional<double> its{};
    std::optional<double> best{};
};

/// Configurations that translate() would move to `at` are other ones, and do not count.
[[nodiscard]] inline tried_time tried_in(past_session const& session, description const& space,
                                         point const& at)
{
    std::vector<std::pair<std::size_t, named_value>> wanted; // column and parameter
    bool has_all = true;
    for (named_value const& v : named_values(space)) {
        auto const column = std::find(session.parameters.begin(), session.parameters.end(), v.name);
        has_all = has_all && column != session.parameters.end();
        wanted.emplace_back(static_cast<std::size_t>(column - session.parameters.begin()), v);
    }
    tried_time out;
    for (past_outcome const& o : session.outcomes) {
        if (!o.value || !std::isfinite(*o.value)) continue;
        if (!out.best || *o.value < *out.best) out.best = o.value;
        point there = at;
        bool const is_it =
            has_all &&
            std::all_of(wanted.begin(), wanted.end(),
                        [&](auto const& one) {
                            return one.first < o.values.size() &&
                                   set_value(space, one.second, there, o.values[one.first]);
                        }) &&
            there == at;
        if (is_it && (!out.its || *o.value < *out.its)) out.its = o.value;
    }
    return out;
}

/// Configurations that are good in all sessions together, best first. In a wide space, the best of
/// each session.
[[nodiscard]] inline std::vector<start_advice>
recommended_starts(chain_of_trees const& space, std::vector<similar_problem> const& similar,
                   std::size_t count)
{
    std::vector<past_session> sessions;
    std::vector<translated_session> here;
    for (similar_problem const& one : similar) {
        sessions.push_back(one.session);
        here.push_back(translate(space, one.session));
    }
    std::vector<start_advice> out;
    for (point& at : transferred_starts(space, sessions, count)) {
        start_advice advice{.at = std::move(at)};
        for (similar_problem const& one : similar) {
            tried_time const tried = tried_in(one.session, space.describe(), advice.at);
            if (!tried.its || !(*tried.best > 0)) continue;
            advice.problem = one.name;
            advice.distance = one.distance;
            advice.of_best = *tried.its / *tried.best;
            break;
        }
        for (std::size_t i = 0; i < here.size() && advice.problem.empty(); ++i)
            for (std::size_t k = 0; k < here[i].where.size(); ++k)
                if (here[i].value[k] && here[i].where[k] == advice.at) {
                    advice.problem = similar[i].name;
                    advice.distance = similar[i].distance;
                }
        out.push_back(std::move(advice));
    }
    return out;
}

/// "start with A=2 B=4: 1.1 times the best time of sgemm N=512 on X (distance 0)".
[[nodiscard]] inline std::string start_text(description const& space, start_advice const& advice)
{
    std::string out = "start with " + text_of(space, advice.at) + ": ";
    if (advice.problem.empty()) return out + "good by models of what similar problems tried";
    std::string const what = advice.of_best
                                 ? formatted("%.3g", *advice.of_best) + " times the best time of "
                                 : "nearest to what was tried there, in ";
    return out + what + advice.problem + formatted(" (distance %.2g)", advice.distance);
}

/// The gains of techniques in one logged tuning.
struct session_gains {
    std::vector<search::technique_use> uses{};
    double gain = 0; ///< time of the first outcome, the default's, over the best; 0: unknown
    /// True: the named search makes the same proposals again, and found all results. A session that
    /// continues from another search's results gives no gain for its search.
    bool is_by_strategy = false;
    std::string problem{};      ///< the reason why it gives no gain; empty: it does
    bool is_of_another = false; ///< the reason: another search or another space made it
};

/// Returns true if a log names the techniques of its proposals. A search that is a single technique
/// writes no names, and neither do older logs.
[[nodiscard]] inline bool has_names(std::vector<event> const& events)
{
    return std::any_of(events.begin(), events.end(), [](event const& e) { return !e.by.empty(); });
}

/// Asks for the logged configurations, and counts them for their proposers. Models `searcher`.
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
    /// The log also has the search's proposals in a part of the space.
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
        by_.erase(by); // a repeated outcome is no request
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

/// Returns true if the session begins with results of another session: outcomes that were told
/// before they were asked for. The default, always the first outcome, does not count.
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

/// Repeats a session with its search. A search that chooses among techniques then attributes the
/// proposals to them again. Any other search is one technique, named `by.name`. If it now proposes
/// something else, or a line is missing, the names in the log count.
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
        if (asked.erase(at) == 0) continue; // the default, or a result from before
        ++alone.requests;
        if (is_best) ++alone.new_bests;
    }
    alone.requests += calls.pruned.size(); // asked, and no new best: a bandit counts them so
    if (out.uses.empty()) out.uses.push_back(alone);
    // The missing line may be that of the default, or of the best.
    if (first > 0 && best > 0 && best <= first && !session.damaged) out.gain = first / best;
    return out;
}

/// A hash of `before` and then `bits`.
[[nodiscard]] inline std::uint64_t hash_and(std::uint64_t before, std::uint64_t bits) noexcept
{
    std::uint64_t const both = ((before << 7 | before >> 57) ^ bits) * 0xff51afd7ed558ccdULL;
    return both ^ both >> 32;
}

/// For each session the latest one that continues it: with the same key and seed, and all its
/// outcomes before further ones. A tuning in slices logs a session for each slice. Empty if there
/// is none.
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
