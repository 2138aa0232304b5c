// attune/search/local/stepwise.hpp - what all searches of this folder have in common.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {
class search_process;
class trials;
} // namespace detail

/// A searcher whose algorithm is written as one procedure that waits for outcomes.
///
/// - Asked for more than the algorithm wants to know at the moment, it gives neighbours of the best
///   and random configurations besides; what they bring is remembered.
/// - Outcomes may come in any order. A failure counts as infinitely slow. Of several outcomes of
///   one configuration the first counts; those outside the space are ignored.
/// - A finite space is searched to its end: where the algorithm finds nothing new, random
///   configurations follow.
/// Cost: microseconds per point, without the neighbours that some algorithms list.
class stepwise_searcher {
public:
    ~stepwise_searcher();
    stepwise_searcher(stepwise_searcher&&) noexcept;
    stepwise_searcher& operator=(stepwise_searcher&&) noexcept;

    /// Up to `k` different points; none when a finite space is exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);

protected:
    /// @param begin  `search_process(trials&)`: starts the algorithm
    template <class Begin>
    stepwise_searcher(chain_of_trees space, std::uint64_t seed, Begin&& begin);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/stepwise.ipp>
#endif
