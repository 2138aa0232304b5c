// attune/search/random.ipp - draws without replacement, and counts through the index.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/random.hpp>

#include <limits>
#include <unordered_set>
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

struct exhaustive_searcher::state {
    chain_of_trees space;
    std::unordered_set<point, point_hash> told{};
    std::uint64_t next = 0;
    std::uint64_t end = 0;
};

ATTUNE_INLINE exhaustive_searcher::exhaustive_searcher(chain_of_trees space)
    : state_(detail::make_state<state>(std::move(space)))
{
    chain_of_trees const& all = state_->space;
    if (all.has_real_parameters())
        throw error("exhaustive search cannot visit every value of a real parameter",
                    "attune::exhaustive_searcher",
                    "declare its values as an ordinal parameter, or use another searcher");
    std::optional<leaf_count> const size = all.size();
    if (!size || *size > leaf_count{std::numeric_limits<std::uint64_t>::max()})
        throw error("exhaustive search over more than 2^64 - 1 configurations",
                    "attune::exhaustive_searcher", "add constraints, or use another searcher");
    state_->end = static_cast<std::uint64_t>(*size);
}

ATTUNE_INLINE std::vector<point> exhaustive_searcher::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k && state_->next < state_->end) {
        point p = state_->space.at(state_->next++);
        if (!state_->told.contains(p)) out.push_back(std::move(p));
    }
    return out;
}

ATTUNE_INLINE void exhaustive_searcher::tell(point const& p, outcome const&)
{
    state_->told.insert(p);
}

} // namespace attune::inline ATTUNE_ABI
