// attune/search/repeat.hpp - restores the state of a search by repeating its calls.
// SPDX-License-Identifier: MIT
//
// With equal seeds and calls every searcher gives equal points, so the calls are its state. A
// repetition is exact for every searcher, also a user's, and reads no data of a searcher. It costs
// the time of the calls of ask(): some milliseconds each, less than the saved evaluations.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// No call of ask() returns more points. An event with more is damaged, and must not exhaust the
/// memory.
inline constexpr std::size_t most_asked_at_once = std::size_t{1} << 20;

/// The text that identifies a space in a session.
[[nodiscard]] inline std::string space_identity(description const& space)
{
    return content_hash{}.add(schema_text(space)).hex();
}

/// Repeats the logged calls of ask(), and compares the points with the logged ones.
///
/// @param check  called for each event first
/// @param ask    asks the searcher, which must be new, for this number of points
/// @param take   called for each event after `check`; passes the outcome to the searcher
/// @return  the first problem with the number of its event; empty: none. `check` and `take` return
///          such texts without the number
[[nodiscard]] inline std::string
repeat_events(std::vector<event> const& events,
              std::function<std::string(event const&)> const& check,
              std::function<std::vector<point>(std::size_t)> const& ask,
              std::function<std::string(event const&)> const& take)
{
    for (std::size_t i = 0; i < events.size(); ++i) {
        event const& e = events[i];
        std::string problem = check(e);
        if (problem.empty() && e.kind == event_kind::asked) {
            if (e.wanted > most_asked_at_once)
                problem = "too many configurations were asked for";
            else if (ask(e.wanted) != e.points)
                problem = "the search proposes other configurations than it did then";
        }
        if (problem.empty()) problem = take(e);
        if (!problem.empty()) return "event " + std::to_string(i + 1) + ": " + problem;
    }
    return {};
}

/// Repeats the calls of a saved session in a search that has not begun.
///
/// @param log     of this search: no event yet
/// @param search  "search" or "optimizer", for the errors
/// @param space   "space", or what else makes the key, for the errors
/// Errors   attune::error: the search has begun; another key or seed; repeat_events() has a problem
inline void resume_events(logged_session const& log, logged_session const& saved,
                          std::string const& search, std::string const& space,
                          std::function<std::string(event const&)> const& check,
                          std::function<std::vector<point>(std::size_t)> const& ask,
                          std::function<std::string(event const&)> const& take)
{
    if (!log.events.empty())
        throw error("resume(): this " + search + " has begun already",
                    std::to_string(log.events.size()) + " calls",
                    "resume before the first ask() and tell()");
    if (saved.key != log.key || saved.seed != log.seed)
        throw error("resume(): the search was saved with another " +
                        (saved.key != log.key ? space : "seed"),
                    "saved seed " + std::to_string(saved.seed),
                    "construct the " + search + " as it was");
    std::string const problem = saved.damaged ? "what it says cannot be read to its end"
                                              : repeat_events(saved.events, check, ask, take);
    if (!problem.empty())
        throw error("resume(): the search cannot go on: " + problem,
                    "seed " + std::to_string(log.seed),
                    "resume with the same searcher, options and version of attune");
}

} // namespace attune::inline ATTUNE_ABI::detail
