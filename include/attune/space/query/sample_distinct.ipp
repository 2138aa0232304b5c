// attune/space/query/sample_distinct.ipp - Floyd's algorithm on 128-bit numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/query/sample_distinct.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

struct leaf_hash {
    [[nodiscard]] std::size_t operator()(leaf_count n) const noexcept
    {
        std::uint64_t h = static_cast<std::uint64_t>(n) ^
                          static_cast<std::uint64_t>(n >> 64U) * 0xff51afd7ed558ccdULL;
        h = (h ^ (h >> 32U)) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(h ^ (h >> 32U));
    }
};

/// The leaves of configuration `number`, the last tree counting fastest.
[[nodiscard]] inline space_index index_of_number(chain_of_trees const& space, leaf_count number)
{
    space_index out;
    out.leaf.resize(space.tree_count());
    for (std::size_t t = space.tree_count(); t-- > 0;) {
        out.leaf[t] = number % space.tree_at(t).leaves();
        number /= space.tree_at(t).leaves();
    }
    return out;
}

/// `count` distinct numbers below `size`, every subset equally likely.  @pre count <= size
[[nodiscard]] inline std::vector<leaf_count> distinct_numbers(leaf_count size, std::size_t count,
                                                              random_engine& engine)
{
    std::vector<leaf_count> out;
    out.reserve(count);
    std::unordered_set<leaf_count, leaf_hash> taken;
    taken.reserve(count);
    for (leaf_count last = size - count; last < size; ++last) {
        leaf_count const drawn = uniform_leaf(engine, last + 1);
        leaf_count const kept = taken.insert(drawn).second ? drawn : last;
        if (kept == last) taken.insert(last);
        out.push_back(kept);
    }
    return out;
}

[[nodiscard]] inline std::vector<point> distinct_draws(chain_of_trees const& space,
                                                       std::size_t count, random_engine& engine)
{
    constexpr int most_repeats = 1'000'000;
    std::vector<point> out;
    std::unordered_set<point, point_hash> taken;
    for (int repeats = 0; out.size() < count && repeats < most_repeats;) {
        point drawn = space.sample(engine);
        if (taken.insert(drawn).second) {
            out.push_back(std::move(drawn));
            repeats = 0;
        } else {
            ++repeats;
        }
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<point> sample_distinct(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine)
{
    std::optional<leaf_count> const size = space.size();
    if (!size || space.has_real_parameters()) return detail::distinct_draws(space, count, engine);
    std::size_t const kept = *size < count ? static_cast<std::size_t>(*size) : count;
    std::vector<leaf_count> numbers = detail::distinct_numbers(*size, kept, engine);
    shuffle(std::span(numbers), engine);
    std::vector<point> out;
    out.reserve(kept);
    for (leaf_count const number : numbers)
        out.push_back(space.at(detail::index_of_number(space, number)));
    return out;
}

} // namespace attune::inline ATTUNE_ABI
