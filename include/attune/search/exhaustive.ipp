// attune/search/exhaustive.ipp - counts through the index.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/exhaustive.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

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
