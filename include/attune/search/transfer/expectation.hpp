// attune/search/transfer/expectation.hpp - what a space expects of its configurations, as a session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <functional>

namespace attune::inline ATTUNE_ABI::detail {

/// What a function says of configurations, as the outcomes of a session: of random configurations,
/// and of those on the way from the best of them to better and better neighbours. A search believes
/// it as it believes any session: as far as its own outcomes agree.
/// @param value_of  lower is better; not finite: the configuration is left out
/// Cost     1,000 calls of it, and one for each neighbour of at most 24 configurations
[[nodiscard]] past_session session_of_values(chain_of_trees const& space,
                                             std::function<double(point const&)> const& value_of);

/// session_of_values() of description::expected.
/// @pre     space.describe().expected is not empty
[[nodiscard]] past_session session_of_expectation(chain_of_trees const& space);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/expectation.ipp>
#endif
