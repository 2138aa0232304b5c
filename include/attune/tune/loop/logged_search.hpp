// attune/tune/loop/logged_search.hpp - a searcher that logs each of its calls, and the outcomes in a log.
// SPDX-License-Identifier: MIT
//
// The sequence of its calls gives the state of a searcher: see search/searcher.hpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if the logged times of a configuration give the outcome that the search received.
[[nodiscard]] inline bool agrees(timing_record const& timing, outcome const& told)
{
    auto const* const m = std::get_if<measurement>(&told);
    if (m == nullptr) return false;
    measurement const again = estimate_of(timing);
    return again.value == m->value && again.low == m->low && again.high == m->high &&
           again.samples == m->samples;
}

struct logged_outcome {
    std::vector<event> before{}; ///< compiled, first_run, sampled, code_metrics
    event end{};                 ///< the last event, told or pruned
};

/// Returns the first outcome, or the times that it comes from.
[[nodiscard]] inline std::vector<event>::const_iterator
first_outcome(std::vector<event> const& events)
{
    return std::find_if(events.begin(), events.end(), [](event const& e) {
        return e.kind == event_kind::told || (e.kind == event_kind::sampled && e.text.empty());
    });
}

/// Returns the outcomes in their order of arrival, without those that contradict the times before
/// them. All outcomes are relative to the first one: if the first one contradicts its times, the
/// result is empty.
/// @pre  each event about a configuration has one point; an event `told` has a result
[[nodiscard]] inline std::vector<logged_outcome> outcomes_in(std::vector<event> const& events)
{
    struct known_facts {
        std::vector<event> code{};
        std::optional<event> sampled{}; ///< its outcome is not logged yet
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

/// Adds the outcomes of configurations that are not yet in the list.
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

struct replayed_calls {
    /// The outcomes in order; each configuration once, with its last outcome.
    std::vector<std::pair<point, outcome>> told{};
    std::vector<point> open{};   ///< asked, without an outcome
    std::vector<point> pruned{}; ///< not evaluated: they could not win
    std::unordered_set<point, point_hash> metrics_told{};
    std::optional<kept_settings>
        part{}; ///< part in which the search continues; empty: the whole space
    std::optional<point> chosen{};
    std::string problem{}; ///< the first difference between searcher and log; empty: none
};

/// Repeats the logged calls on a new searcher of that space. Compares its proposals with the logged
/// ones, and the logged outcomes with the logged times. Checks that every logged configuration
/// belongs to the space, because a file may be damaged.
[[nodiscard]] replayed_calls repeat_calls(any_searcher& search, chain_of_trees const& space,
                                          std::vector<event> const& events);

/// Returns the search of `make`. The search has narrow() if the program links attune::roofline, and
/// if `is_narrowed` or one of the events is a narrow(): see time_bounds.
[[nodiscard]] any_searcher search_for(search_factory const& make, chain_of_trees const& space,
                                      std::uint64_t seed, std::vector<event> const& events,
                                      bool is_narrowed = false);

/// Models `searcher`. Its first proposals are the points that an interrupted session left without
/// an outcome.
class logged_search {
public:
    /// Repeats the calls in `log`, or in the readable part of a damaged log. If the searcher
    /// proposes other points than the log, a new session begins with all readable outcomes, in one
    /// write. Causes are another version of attune, another search, or a lost line.
    /// @param memory  known: outcomes for a new session. The search gets the outcome of a point
    ///                when it proposes the point, and the other outcomes at last. Equal seeds then
    ///                continue as without an interruption. The search gets readable outcomes of the
    ///                log in the same way. related, lessons: the search begins with them, and the
    ///                log has them, so that a replay needs only the log
    /// @param ahead   configurations to ask for before the first outcome
    /// @param is_narrowed  false: narrow() is not called, unless the log has such a call
    /// @pre   `log` outlives this object
    logged_search(search_factory const& make, chain_of_trees const& space, std::uint64_t seed,
                  event_log& log, session_memory const& memory = {}, std::size_t ahead = 0,
                  bool is_narrowed = true);

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    /// Logs `p` as pruned: it takes at least `value` seconds, and is not evaluated.
    void tell_bound(point const& p, double value);
    using part_type = std::optional<kept_settings>;
    bool narrow(part_type const& part);
    /// Passes on the code metrics of a point once: equal code has equal metrics.
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// Logged with the next outcome, which is that of `p`.
    void tell_excess(point const& p, double value, std::span<double const> excess);
    /// Not logged: the call does not change later proposals.
    [[nodiscard]] std::optional<double> expected_gain() { return search_.expected_gain(); }
    [[nodiscard]] std::vector<search::technique_use> uses() const { return search_.uses(); }
    /// Name of the search, with all options; empty: unknown.
    [[nodiscard]] std::string strategy() const { return search_.strategy(); }
    /// The technique that proposed `p`, logged with its outcome; may be empty.
    [[nodiscard]] std::string proposer_of(point const& p) const { return search_.proposer_of(p); }
    /// Logged with the outcome of `p`.
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return search_.prediction_of(p);
    }

    /// Outcomes told before the interruption; empty for a new session.
    [[nodiscard]] std::vector<std::pair<point, outcome>> const& past() const noexcept
    {
        return past_.told;
    }
    [[nodiscard]] std::vector<point> const& past_pruned() const noexcept { return past_.pruned; }
    [[nodiscard]] std::optional<kept_settings> const& past_part() const noexcept
    {
        return past_.part;
    }
    /// A sentence if the log could not be continued, or if something changed since its beginning;
    /// otherwise empty.
    [[nodiscard]] std::string const& notice() const noexcept { return notice_; }

private:
    void inform(session_memory const& memory);
    void tell_known(std::vector<logged_outcome> const& known, std::size_t ahead);
    /// Tells a known outcome, with its times and metrics.
    void tell_again(logged_outcome const& known);
    /// Adds the proposer and the prediction, if the search gives them.
    void tell(event happened);
    void write(event happened);

    event_log* log_;
    std::optional<std::vector<event>>
        unwritten_{}; ///< events of a new session, until it is complete
    any_searcher search_;
    replayed_calls past_;
    std::vector<double> excess_{}; ///< excess of the next outcome
    std::string notice_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/logged_search.ipp>
#endif
