// attune/search/random.hpp - the searches without a model: random configurations, and every configuration by its index.
// SPDX-License-Identifier: MIT
//
// random_searcher is uniform over the leaves of the trees, as BaCO Sec. 4.2 advises
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

class random_engine;
class unseen_points;

/// Uniform draws without replacement. Ends when a finite space is exhausted.
class random_searcher {
public:
    random_searcher(chain_of_trees space, std::uint64_t seed);

    /// Up to `k` distinct points.  Cost: O(1) draws each until the space is nearly exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Excludes `p` from later calls of ask().
    void tell(point const& p, outcome const&);

protected:
    /// Returns an unseen point and does not mark it; nothing if all are seen.
    using draw_rule = std::optional<point> (*)(unseen_points const&, random_engine&);
    random_searcher(chain_of_trees space, std::uint64_t seed, draw_rule rule);

private:
    struct state;
    detail::owned_state<state> state_;
};

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
#include <attune/search/random.ipp>
#endif
