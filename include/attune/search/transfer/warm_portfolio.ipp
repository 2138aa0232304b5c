// attune/search/transfer/warm_portfolio.ipp - what to try first where sessions were elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/search/transfer/warm_start.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<point> warm_portfolio(chain_of_trees const& space,
                                                std::span<past_session const> sessions,
                                                std::size_t count,
                                                warm_start_options const& options)
{
    if (!detail::is_narrow(space.describe())) return {};
    return detail::warm_start(space, {sessions.begin(), sessions.end()}, options, {})
        .portfolio(count);
}

} // namespace attune::inline ATTUNE_ABI
