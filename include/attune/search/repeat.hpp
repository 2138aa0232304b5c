// attune/search/repeat.hpp - a search brought back to where it was, by making its calls again.
// SPDX-License-Identifier: MIT
//
// Every searcher owes the same answers to the same seed and calls, so the calls are its state: what
// they restore is exact for each of them, also those that users write, and does not break when one
// learns to keep more. The price is the time that the questions took: some milliseconds each,
// against the seconds of the evaluations that are saved.
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

/// More than any search is asked for in one call. An event that says more is damaged: it must not
/// make a searcher fill the memory.
inline constexpr std::size_t most_asked_at_once = std::size_t{1} << 20;

/// The text that stands for a space in a session.
[[nodiscard]] std::string space_identity(description const& space);

/// Asks what was asked, and compares the answers with those of the events.
///
/// @param check  called for each event, before anything else is done with it
/// @param ask    asks the searcher, which is in the state of the beginning, for so many points
/// @param take   called for each event after that; tells the searcher what the event says
/// @return  what is wrong, with the number of the event; empty when nothing is. `check` and `take`
///          return such texts without the number
[[nodiscard]] std::string repeat_events(std::vector<event> const& events,
                                        std::function<std::string(event const&)> const& check,
                                        std::function<std::vector<point>(std::size_t)> const& ask,
                                        std::function<std::string(event const&)> const& take);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/repeat.ipp>
#endif
