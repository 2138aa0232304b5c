// attune/search/random.ipp - draws without replacement.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/search/random.hpp>

#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

struct random_searcher::state {
    unseen_points unseen;
    random_engine engine;
    draw_rule rule;
    bool finished = false;
};

ATTUNE_INLINE random_searcher::random_searcher(chain_of_trees space, std::uint64_t seed)
    : random_searcher(
          std::move(space), seed,
          [](unseen_points const& unseen, random_engine& engine) { return unseen.draw(engine); })
{
}
ATTUNE_INLINE random_searcher::random_searcher(chain_of_trees space, std::uint64_t seed,
                                               draw_rule rule)
    : state_(detail::make_state<state>(unseen_points{std::move(space)}, random_engine{seed}, rule))
{
}

ATTUNE_INLINE std::vector<point> random_searcher::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k && !state_->finished) {
        std::optional<point> p = state_->rule(state_->unseen, state_->engine);
        if (!p)
            state_->finished = true;
        else {
            state_->unseen.mark(*p);
            out.push_back(std::move(*p));
        }
    }
    return out;
}

ATTUNE_INLINE void random_searcher::tell(point const& p, outcome const&) { state_->unseen.mark(p); }

} // namespace attune::inline ATTUNE_ABI
