// attune/search/published/cot_sampling.ipp - draws child by child without replacement.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/start/initial_design.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/search/published/cot_sampling.hpp>

#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

struct child_wise_searcher::state {
    unseen_points unseen;
    random_engine engine;
};

ATTUNE_INLINE child_wise_searcher::child_wise_searcher(chain_of_trees space, std::uint64_t seed)
    : state_(new state{unseen_points{std::move(space)}, random_engine{seed}})
{
}
ATTUNE_INLINE child_wise_searcher::~child_wise_searcher() = default;
ATTUNE_INLINE child_wise_searcher::child_wise_searcher(child_wise_searcher&&) noexcept = default;
ATTUNE_INLINE child_wise_searcher&
child_wise_searcher::operator=(child_wise_searcher&&) noexcept = default;

ATTUNE_INLINE std::vector<point> child_wise_searcher::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        std::optional<point> p = child_wise_sampling::draw(state_->unseen, state_->engine);
        if (!p) break;
        state_->unseen.mark(*p);
        out.push_back(std::move(*p));
    }
    return out;
}

ATTUNE_INLINE void child_wise_searcher::tell(point const& p, outcome const&)
{
    state_->unseen.mark(p);
}

} // namespace attune::inline ATTUNE_ABI
