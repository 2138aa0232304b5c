// attune/search/bayes/memory.hpp - selects the observations that a model keeps if there are too many.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024, Sec. 3.5 (limits of an optimizer's memory: reset, least recently used; the
//          best stay in either case); the mixture is own: the best show where to continue, distant
//          ones the whole function, the latest the recent search
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct description;
class search_history;

/// Chooses the observations that a model keeps.
/// @return  indices of history.told(), ascending, at most `limit`; all if there are no more
/// @param only_working  leaves failures out
using memory_policy = std::vector<std::size_t> (*)(search_history const& history,
                                                   description const& space, std::size_t limit,
                                                   bool only_working);

/// A third each: the best, points far from each other, and the latest.
/// Cost   beyond the limit: limit / 3 * 192 distances
[[nodiscard]] std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit, bool only_working);
/// The best dozen and the latest.
[[nodiscard]] std::vector<std::size_t> recent_memory(search_history const& history,
                                                     description const& space, std::size_t limit,
                                                     bool only_working);
/// The best dozen, and everything since the limit was last reached.
[[nodiscard]] std::vector<std::size_t> reset_memory(search_history const& history,
                                                    description const& space, std::size_t limit,
                                                    bool only_working);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/memory.ipp>
#endif
