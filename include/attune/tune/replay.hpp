// attune/tune/replay.hpp - repeats a tuning from its log, without running a kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct replayed_session {
    std::vector<std::pair<point, outcome>> evaluations{}; ///< the default's first
    std::optional<point> chosen{}; ///< the installed configuration; empty if interrupted
};

/// Repeats the last session of the log at `path`: makes a searcher with the session's seed, and
/// repeats the calls of ask and tell.
///
/// @param space   the bound space of that session
/// Errors   attune::error if the log cannot be read, or if the searcher does not repeat an event;
///          the text has the number of the first such event
[[nodiscard]] replayed_session replay(std::string const& path, chain_of_trees const& space,
                                      search_factory const& search = default_search());

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/replay.ipp>
#endif
