// attune/search/local/stepwise.hpp - a searcher from an algorithm that waits for outcomes.
// SPDX-License-Identifier: MIT
//
// The door for a strategy of your own, and what all searches of this folder are made of.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/local/search_process.hpp>
#include <attune/search/local/trials.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A searcher whose algorithm is written as one procedure that waits for outcomes: a coroutine that
/// asks `trials` for configurations and gets their values.
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
    /// @param begin  starts the algorithm; called once. What the coroutine needs besides `trials`
    /// it
    ///               takes by value: `begin` is gone when it runs.
    stepwise_searcher(chain_of_trees space,
                      std::uint64_t seed,
                      std::function<search_process(trials&)> const& begin);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/local/stepwise.ipp>
#endif
