// attune/search/bayes/memory.hpp - selects the observations that a model keeps if there are too many.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024, Sec. 3.5 (limits of an optimizer's memory); the mixture is own: the best show
//          where to continue, distant ones the whole function, the latest the recent search
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct description;
class search_history;

namespace detail {

/// The observations that a model keeps. A third each: the best, points far from each other, and the
/// latest.
/// @param only_working  leaves failures out
/// @return  indices of history.told(), ascending, at most `limit`; all if there are no more
/// Cost     beyond the limit: limit / 3 * 192 distances
[[nodiscard]] std::vector<std::size_t> representative_memory(search_history const& history,
                                                             description const& space,
                                                             std::size_t limit, bool only_working);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/memory.ipp>
#endif
