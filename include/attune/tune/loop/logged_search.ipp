// attune/tune/loop/logged_search.ipp - logs the calls of a searcher and repeats them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/search/repeat.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/loop/time_bounds.hpp>

#include <cmath>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if `at` is a point of the space, with unused members of 0 like all written points.
[[nodiscard]] inline bool is_point_of(chain_of_trees const& space, point const& at)
{
    std::vector<parameter_description> const& parameters = space.describe().parameters;
    if (at.size() != parameters.size()) return false;
    for (std::size_t i = 0; i < at.size(); ++i)
        if (parameters[i].traits().is_interval ? at[i].index != 0 : at[i].real != 0) return false;
    return space.contains(at);
}

/// @return  the error in an event of a file; empty when there is none
[[nodiscard]] inline std::string what_is_wrong(event const& e, chain_of_trees const& space)
{
    if (e.kind == event_kind::asked) return "";
    if (e.kind == event_kind::narrowed && offer_of_program<time_bounds>() == nullptr)
        return "it continued in a part of the space; include <attune/tune/roofline.hpp> and link "
               "attune::roofline";
    if (e.kind == event_kind::narrowed)
        return e.text.empty() || read_kept_settings(space.describe(), e.text)
                   ? ""
                   : "the part of the space in which it continued cannot be read";
    if (e.kind == event_kind::informed && is_of_lesson(e.text)) {
        if (offer_of_program<tuning_lessons>() == nullptr)
            return "it began with lessons of other tunings; include <attune/tune/lessons.hpp> and "
                   "link attune::lessons";
        return lesson_in(e.text) ? "" : "its lessons of other tunings cannot be read";
    }
    if (e.kind == event_kind::informed)
        return read_past(e.text) ? "" : "the results of related problems in it cannot be read";
    if (e.points.size() != 1 || !is_point_of(space, e.points.front()))
        return "its configuration is not one of the space";
    if (e.kind == event_kind::code_metrics &&
        e.numbers.size() != space.describe().code_metrics.size())
        return "its code metrics are not those of the space";
    if (e.kind == event_kind::pruned && !(std::isfinite(e.seconds) && e.seconds > 0))
        return "a pruned configuration has no least time";
    return "";
}

ATTUNE_INLINE replayed_calls repeat_calls(any_searcher& search, chain_of_trees const& space,
                                          std::vector<event> const& events)
{
    replayed_calls out;
    std::unordered_map<point, timing_record, point_hash> timed; // its outcome follows
    std::unordered_map<point, std::size_t, point_hash> told;    // index in out.told
    auto const take = [&](event const& e) -> std::string {
        if (e.kind == event_kind::asked) {
            out.open.insert(out.open.end(), e.points.begin(), e.points.end());
            return {};
        }
        if (e.kind == event_kind::informed) {
            if (is_of_lesson(e.text))
                (void)lesson_in(e.text)->tell(search);
            else
                search.inform({*read_past(e.text)});
            return {};
        }
        if (e.kind == event_kind::narrowed) {
            out.part = read_kept_settings(space.describe(), e.text); // empty text: no part
            return search.narrow(out.part) ? "" : "the part of the space cannot be built";
        }
        point const& at = e.points.front();
        if (e.kind == event_kind::sampled && e.text.empty()) {
            timed[at] = *e.timing;
        } else if (e.kind == event_kind::told) {
            auto const times = timed.find(at);
            if (times != timed.end() && !agrees(times->second, *e.result))
                return "an outcome differs from the times before it";
            if (!e.numbers.empty()) {
                auto const* const m = std::get_if<measurement>(&*e.result);
                search.tell_excess(at, m != nullptr ? m->value : std::nan(""), e.numbers);
            }
            search.tell(at, *e.result);
            std::erase(out.open, at);
            timed.erase(at);
            auto const [place, is_new] = told.try_emplace(at, out.told.size());
            if (is_new)
                out.told.emplace_back(at, *e.result);
            else // another process tried it again
                out.told[place->second].second = *e.result;
        } else if (e.kind == event_kind::pruned) {
            search.tell_bound(at, e.seconds);
            std::erase(out.open, at);
            out.pruned.push_back(at);
        } else if (e.kind == event_kind::code_metrics) {
            search.tell_metrics(at, e.numbers);
            out.metrics_told.insert(at);
        } else if (e.kind == event_kind::chosen) {
            out.chosen = at;
        }
        return {};
    };
    out.problem = repeat_events(
        events, [&](event const& e) { return what_is_wrong(e, space); },
        [&](std::size_t wanted) { return search.ask(wanted); }, take);
    return out;
}

ATTUNE_INLINE any_searcher search_for(search_factory const& make, chain_of_trees const& space,
                                      std::uint64_t seed, std::vector<event> const& events,
                                      bool is_narrowed)
{
    auto const* const part = offer_of_program<time_bounds>();
    bool const can_be =
        part != nullptr &&
        (is_narrowed || std::any_of(events.begin(), events.end(),
                                    [](auto const& e) { return e.kind == event_kind::narrowed; }));
    return can_be ? part->narrowing(make, space, seed) : make(space, seed);
}

[[nodiscard]] inline std::vector<event> right_events(std::vector<event> events,
                                                     chain_of_trees const& space)
{
    std::erase_if(events, [&](event const& e) { return !what_is_wrong(e, space).empty(); });
    return events;
}

/// Returns the readable events of a damaged log. All outcomes are compared with the first one. If
/// the line of the first outcome is lost, its times give the outcome again.
[[nodiscard]] inline std::vector<event> salvaged_events(event_log const& log,
                                                        chain_of_trees const& space)
{
    std::vector<event> out = right_events(log.salvaged(), space);
    auto const first = first_outcome(out);
    if (first == out.end() || first->kind != event_kind::sampled) return out;
    bool const is_told = std::any_of(first, out.cend(), [&](event const& e) {
        return e.kind == event_kind::told && e.points == first->points;
    });
    if (!is_told)
        out.insert(first + 1, event{.kind = event_kind::told,
                                    .points = first->points,
                                    .result = estimate_of(*first->timing)});
    return out;
}

ATTUNE_INLINE logged_search::logged_search(search_factory const& make, chain_of_trees const& space,
                                           std::uint64_t seed, event_log& log,
                                           session_memory const& memory, std::size_t ahead,
                                           bool is_narrowed)
    : log_(&log)
    , search_(search_for(make, space, seed, log.salvaged().empty() ? log.past() : log.salvaged(),
                         is_narrowed))
{
    bool const is_damaged = !log.salvaged().empty();
    std::vector<event> const logged = is_damaged ? salvaged_events(log, space) : log.past();
    past_ = repeat_calls(search_, space, logged);
    bool const is_repeated = past_.problem.empty();
    std::vector<logged_outcome> known;
    if (!is_repeated) {
        known = outcomes_in(right_events(logged, space));
        if (known.empty())
            notice_ = "the interrupted tuning cannot be continued: " + past_.problem;
        else if (!is_damaged) // the log names the unreadable lines
            notice_ = "the interrupted tuning cannot be repeated, and another one begins with its "
                      "outcomes: " +
                      past_.problem;
        past_ = {};
        search_ = search_for(make, space, seed, {}, is_narrowed);
        unwritten_.emplace();
    } else if (is_damaged) {
        if (logged.empty())
            notice_ = "the interrupted tuning cannot be continued: " +
                      what_is_wrong(log.salvaged().front(), space);
        log.begin_anew(logged);
    }
    if (!is_repeated || logged.empty()) {
        inform(memory);
    } else {
        for (auto const& one : memory.lessons)
            if (std::string why = one->why_other(logged, [&] { return make(space, seed); });
                !why.empty())
                notice_ = std::move(why);
    }
    if (past_.told.empty() && past_.open.empty()) {
        add_outcomes(known, memory.known);
        if (!known.empty()) tell_known(known, ahead);
    }
    if (unwritten_) log.begin_anew(*std::exchange(unwritten_, {}));
}

ATTUNE_INLINE void logged_search::inform(session_memory const& memory)
{
    if (!memory.related.empty()) search_.inform(memory.related);
    for (past_session const& one : memory.related)
        write({.kind = event_kind::informed, .text = text_of_past(one)});
    for (auto const& one : memory.lessons)
        if (one->tell(search_)) write({.kind = event_kind::informed, .text = one->text()});
}

ATTUNE_INLINE void logged_search::write(event happened)
{
    if (unwritten_)
        unwritten_->push_back(std::move(happened));
    else
        log_->add(happened);
}

ATTUNE_INLINE void logged_search::tell_again(logged_outcome const& known)
{
    point const& at = known.end.points.front();
    for (event const& e : known.before) {
        if (e.kind == event_kind::code_metrics)
            tell_metrics(at, e.numbers);
        else
            write(e);
    }
    if (known.end.kind == event_kind::pruned) {
        tell_bound(at, known.end.seconds);
        past_.pruned.push_back(at);
        return;
    }
    if (!known.end.numbers.empty()) {
        auto const* const m = std::get_if<measurement>(&*known.end.result);
        search_.tell_excess(at, m != nullptr ? m->value : std::nan(""), known.end.numbers);
    }
    tell(known.end);
    past_.told.emplace_back(at, *known.end.result);
}

ATTUNE_INLINE void logged_search::tell_known(std::vector<logged_outcome> const& known,
                                             std::size_t ahead)
{
    std::unordered_map<point, logged_outcome const*, point_hash> left;
    for (logged_outcome const& one : known)
        left.emplace(one.end.points.front(), &one);
    auto const take = [&](point const& at) {
        auto const one = left.find(at);
        if (one == left.end()) return false;
        tell_again(*one->second);
        left.erase(one);
        return true;
    };
    take(known.front().end.points.front()); // the search never proposes the default
    std::vector<point> asked;
    while (!left.empty()) {
        if (asked.size() <= ahead) {
            std::vector<point> const more = ask(ahead + 1 - asked.size());
            asked.insert(asked.end(), more.begin(), more.end());
        }
        if (asked.empty() || !take(asked.front())) break;
        asked.erase(asked.begin());
    }
    std::unordered_set<point, point_hash> rest;
    for (logged_outcome const& one : known)
        if (take(one.end.points.front())) rest.insert(one.end.points.front());
    std::erase_if(asked, [&](point const& at) { return rest.contains(at); });
    past_.open = std::move(asked);
}

ATTUNE_INLINE std::vector<point> logged_search::ask(std::size_t k)
{
    std::vector<point>& open = past_.open;
    if (!open.empty()) {
        std::size_t const count = std::min(k, open.size());
        auto const end = open.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<point> out(open.begin(), end);
        open.erase(open.begin(), end);
        return out;
    }
    std::vector<point> asked = search_.ask(k);
    write({.kind = event_kind::asked, .points = asked, .wanted = k});
    return asked;
}

ATTUNE_INLINE void logged_search::tell(point const& p, outcome const& result)
{
    tell({.kind = event_kind::told,
          .points = {p},
          .result = result,
          .numbers = std::exchange(excess_, {})});
}

ATTUNE_INLINE void logged_search::tell(event happened)
{
    point const& at = happened.points.front();
    if (auto const expected = search_.prediction_of(at))
        happened.expected = std::isfinite(*expected) ? *expected : 0;
    if (std::string by = search_.proposer_of(at); !by.empty()) happened.by = std::move(by);
    search_.tell(at, *happened.result);
    write(std::move(happened));
}

ATTUNE_INLINE void logged_search::tell_bound(point const& p, double value)
{
    std::string by = search_.proposer_of(p);
    search_.tell_bound(p, value);
    write({.kind = event_kind::pruned, .points = {p}, .seconds = value, .by = std::move(by)});
}

ATTUNE_INLINE bool logged_search::narrow(part_type const& part)
{
    if (!search_.narrow(part)) return false;
    write({.kind = event_kind::narrowed, .text = part ? text_of(*part) : std::string{}});
    return true;
}

ATTUNE_INLINE void logged_search::tell_excess(point const& p, double value,
                                              std::span<double const> excess)
{
    search_.tell_excess(p, value, excess);
    excess_.assign(excess.begin(), excess.end());
}

ATTUNE_INLINE void logged_search::tell_metrics(point const& p, std::span<double const> numbers)
{
    if (!past_.metrics_told.insert(p).second) return;
    search_.tell_metrics(p, numbers);
    write({.kind = event_kind::code_metrics,
           .points = {p},
           .numbers = {numbers.begin(), numbers.end()}});
}

} // namespace attune::inline ATTUNE_ABI::detail
