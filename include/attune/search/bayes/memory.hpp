// attune/search/bayes/memory.hpp - which observations a model keeps when there are too many.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024, Sec. 3.5 (limits of an optimizer's memory: reset, least recently used; the
//          best known stay in either case); the mixture is own: the best say where to go, those far
//          from each other what the whole looks like, the latest what was found out lately
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct description;
class search_history;

/// Chooses the observations that a model keeps.
/// @return  places in history.told(), ascending, at most `limit`: all where there are no more
/// @param only_working  failures are left out
using memory_policy = std::vector<std::size_t> (*)(search_history const& history,
                                                   description const& space,
                                                   std::size_t limit,
                                                   bool only_working);

/// The best, those far from each other and the latest: a third each.
/// Cost   beyond the limit: limit / 3 * 192 distances
[[nodiscard]] std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit,
                                                             bool only_working);
/// The best dozen and the latest: least recently used go first.
[[nodiscard]] std::vector<std::size_t> recent_memory(search_history const& history,
                                                     description const& space,
                                                     std::size_t limit,
                                                     bool only_working);
/// The best dozen, and what came since the limit was last reached.
[[nodiscard]] std::vector<std::size_t> reset_memory(search_history const& history,
                                                    description const& space,
                                                    std::size_t limit,
                                                    bool only_working);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/memory.ipp>
#endif
