// attune/search/exhaustive.hpp - every configuration, in the order of its index.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Proposes space.at(0), space.at(1), ... without the points of earlier calls of tell().
class exhaustive_searcher {
public:
    /// Throws attune::error if the space has a real parameter, or more than 2^64 - 1 points.
    explicit exhaustive_searcher(chain_of_trees space);

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Excludes `p` from later calls of ask().
    void tell(point const& p, outcome const&);

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/exhaustive.ipp>
#endif
