// attune/search/repeat.hpp - restores the state of a search by repeating its calls.
// SPDX-License-Identifier: MIT
//
// Every searcher gives equal answers to equal seeds and calls, so its calls are its state.
// Repeating them is exact for every searcher, also for those of users, and still works when a
// searcher stores more. It costs the time of the calls of ask(): some milliseconds each, less than
// the evaluations that are saved.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// More points than any search is asked for in one call. An event with more is damaged and must not
/// exhaust the memory.
inline constexpr std::size_t most_asked_at_once = std::size_t{1} << 20;

/// The text that identifies a space in a session.
[[nodiscard]] std::string space_identity(description const& space);

/// Repeats the logged calls of ask(), and compares the points with the logged ones.
///
/// @param check  called for each event first
/// @param ask    asks the searcher, which must be new, for so many points
/// @param take   called for each event after `check`; tells the searcher the outcome
/// @return  the first problem with the number of its event; empty: none. `check` and `take` return
///          such texts without the number
[[nodiscard]] std::string repeat_events(std::vector<event> const& events,
                                        std::function<std::string(event const&)> const& check,
                                        std::function<std::vector<point>(std::size_t)> const& ask,
                                        std::function<std::string(event const&)> const& take);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/repeat.ipp>
#endif
