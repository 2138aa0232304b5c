// attune/tune/replay.hpp - a tuning once more, from its log, without running a kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A session, repeated.
struct replayed_session {
    std::vector<std::pair<point, outcome>> evaluations{}; ///< the default's first
    std::optional<point> chosen{}; ///< what the session installed; nothing if it was interrupted
};

/// Repeats the last session of the log at `path`: makes the searcher again, with the seed of the
/// session, asks it what it was asked and tells it what it was told.
///
/// @param space   the bound space of that session
/// @param search  what it searched with
/// Errors   attune::error when the log cannot be read, or when the searcher proposes anything else
///          than it did then, with the number of that event
[[nodiscard]] replayed_session replay(std::string const& path,
                                      chain_of_trees const& space,
                                      search_factory const& search = default_search());

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/replay.ipp>
#endif
