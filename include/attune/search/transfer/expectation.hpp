// attune/search/transfer/expectation.hpp - what a space expects of its configurations, as a session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// description::expected as the outcomes of a session: of random configurations, and of those on
/// the way from the best of them to better and better neighbours. A search believes it as it
/// believes any session: as far as its own outcomes agree.
/// @pre     space.describe().expected is not empty
/// Cost     1,000 expectations, and one for each neighbour of at most 24 configurations
[[nodiscard]] past_session session_of_expectation(chain_of_trees const& space);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/expectation.ipp>
#endif
