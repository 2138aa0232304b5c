// attune/search/transfer/warm_portfolio.hpp - what to try first where sessions were elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Configurations of `space`, best first: the first is good in all sessions together, each further
/// one in those in which the ones before it are not. None where no outcome worked, and
/// none where the space has more coordinates of arrays and long permutations than
/// search::automatic_options::most_modelled: models of 200 take seconds, which a caller waits for.
/// Cost   a model of each session (up to 0.1 s each) and its opinion on the space
[[nodiscard]] std::vector<point> warm_portfolio(chain_of_trees const& space,
                                                std::span<past_session const> sessions,
                                                std::size_t count,
                                                warm_start_options const& options = {});

/// As warm_portfolio(); where the space has none because it is too wide for models, the best
/// outcome of each session, that of the session with the highest weight first. Values that the
/// space does not have become the nearest ones, and an invalid configuration the nearest valid one;
/// of outcomes that become the same configuration the one from nearest by counts.
/// Cost   where the space is too wide, a membership test per outcome of the sessions
[[nodiscard]] std::vector<point> transferred_starts(chain_of_trees const& space,
                                                    std::span<past_session const> sessions,
                                                    std::size_t count);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/warm_portfolio.ipp>
#endif
