// attune/tune/replay.ipp - repeats a tuning from its log.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/loop/logged_search.hpp>
#include <attune/tune/replay.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE replayed_session replay(std::string const& path, chain_of_trees const& space,
                                      search_factory const& search)
{
    logged_session const session = std::move(read_event_log(path).back());
    if (session.damaged)
        throw error("the log cannot be repeated: a line of its last session cannot be read", path,
                    "tune again, or remove the damaged line and all lines after it");
    any_searcher again = detail::search_for(search, space, session.seed, session.events);
    detail::replayed_calls calls = detail::repeat_calls(again, space, session.events);
    if (!calls.problem.empty())
        throw error(
            "the log cannot be repeated: " + calls.problem, path,
            "give the space and the search of that session, and the same version of attune");
    return {std::move(calls.told), std::move(calls.chosen)};
}

} // namespace attune::inline ATTUNE_ABI
