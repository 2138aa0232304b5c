// attune/search/local/stepwise.hpp - makes a searcher from an algorithm that waits for outcomes.
// SPDX-License-Identifier: MIT
//
// The base of all searches of this folder, and of a user's strategy.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/trials.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A searcher whose algorithm is one coroutine, which asks `trials` for configurations and waits
/// for their values.
///
///   attune::search_process halve(attune::trials& t)
///   {
///       for (;;) {
///           std::vector<double> const values = co_await t.evaluate({t.fresh(), t.fresh()});
///           ...
///       }
///   }
///   struct halving : attune::stepwise_searcher {
///       halving(attune::chain_of_trees space, std::uint64_t seed)
///           : stepwise_searcher(std::move(space), seed, halve)
///       {
///       }
///   };
///   options.search = attune::search_with<halving>();
///
/// - If ask() needs more points than the algorithm has, it adds neighbours of the best and random
///   configurations, and keeps their outcomes.
/// - Outcomes may come in any order. A failure has an infinite value. The first of several outcomes
///   of a configuration counts. Points outside the space are ignored.
/// - The search covers a finite space completely, at the end by random configurations.
/// Cost: microseconds per point, without the neighbours that some algorithms list.
class stepwise_searcher {
public:
    /// Up to `k` different points; none if a finite space is exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);

protected:
    /// @param begin  starts the algorithm; called once, and destroyed before the coroutine runs.
    ///               The coroutine must take all arguments besides `trials` by value
    stepwise_searcher(chain_of_trees space, std::uint64_t seed,
                      std::function<search_process(trials&)> const& begin);

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/stepwise.ipp>
#endif
