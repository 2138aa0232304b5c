// attune/search/transfer/warm_portfolio.hpp - the first configurations, from other sessions.
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

/// Configurations of `space`, best first. The first is good in all sessions together; each further
/// one is good in those where the earlier ones are not. None without a success. None if the space
/// has more coordinates of arrays and long permutations than
/// search::automatic_options::most_modelled: models of 200 coordinates take seconds.
/// Cost   a model of each session (up to 0.1 s each) and its predictions for the space
[[nodiscard]] std::vector<point> warm_portfolio(chain_of_trees const& space,
                                                std::span<past_session const> sessions,
                                                std::size_t count,
                                                warm_start_options const& options = {});

/// Like warm_portfolio(). If the space is too wide for models: the best outcome of each session,
/// that of the session with the highest weight first. Values that the space lacks become the
/// nearest ones, and an invalid configuration the nearest valid one. If several outcomes become one
/// configuration, the one that changed least counts.
/// Cost   if the space is too wide, a membership test per outcome of the sessions
[[nodiscard]] std::vector<point> transferred_starts(chain_of_trees const& space,
                                                    std::span<past_session const> sessions,
                                                    std::size_t count);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/warm_portfolio.ipp>
#endif
