// attune/search/published/cot_sampling.hpp - random configurations, child by child of the trees.
// SPDX-License-Identifier: MIT
// Source   Hellsten et al., "BaCO", ASPLOS 2023, Sec. 4.2 and 5.1, the baseline "CoT sampling": how
//          ATF draws. random_searcher is the other baseline, uniform over configurations
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Draws each child of a tree's node equally likely, and so configurations of sparse parts more
/// often; each configuration at most once. Ends when a finite space is exhausted.
class child_wise_searcher {
public:
    child_wise_searcher(chain_of_trees space, std::uint64_t seed);
    ~child_wise_searcher();
    child_wise_searcher(child_wise_searcher&&) noexcept;
    child_wise_searcher& operator=(child_wise_searcher&&) noexcept;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Excludes `p` from later calls of ask().
    void tell(point const& p, outcome const&);

private:
    struct state;
    std::unique_ptr<state> state_;
};

namespace published {

[[nodiscard]] inline search_factory cot_sampling() { return search_with<child_wise_searcher>(); }

} // namespace published

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/cot_sampling.ipp>
#endif
