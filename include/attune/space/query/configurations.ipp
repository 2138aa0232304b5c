// attune/space/query/configurations.ipp - moves to the next leaf of each tree; Floyd's algorithm on 128-bit numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
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

/// `count` distinct numbers below `size`; all subsets are equally likely.  @pre count <= size
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
        out.push_back(space.at(index_of_number(space, number)));
    return out;
}

ATTUNE_INLINE configuration_iterator::configuration_iterator(chain_of_trees space,
                                                             space_index const& from,
                                                             leaf_count most)
    : space_(std::move(space))
    , paths_(space_.tree_count())
    , at_(space_.at(from))
    , left_(most)
    , has_conditional_reals_(space_.has_conditional_reals())
    , is_done_(most == 0)
{
    for (std::size_t t = 0; t < paths_.size(); ++t) {
        detail::tree const& walked = space_.tree_at(t);
        if (detail::is_free(walked)) continue;
        std::uint32_t node = detail::root_of(walked);
        for (std::uint32_t const parameter : walked.parameters()) {
            std::span<std::uint32_t const> const row = walked.values(node);
            auto const found = std::lower_bound(row.begin(), row.end(), at_[parameter].index);
            auto const edge = static_cast<std::uint32_t>(found - row.begin());
            paths_[t].push_back({node, edge});
            node = walked.children(node)[edge];
        }
    }
}

ATTUNE_INLINE configuration_iterator& configuration_iterator::operator++()
{
    is_done_ = true;
    if (--left_ == 0) return *this;
    for (std::size_t t = paths_.size(); is_done_ && t-- > 0;) {
        is_done_ = !go_to_next(t);
        if (is_done_) go_to_first(t);
    }
    if (has_conditional_reals_) space_.set_reals(at_);
    return *this;
}

/// Takes the first edge of every node from `node` on `level` down.
ATTUNE_INLINE void configuration_iterator::enter(std::size_t t, std::size_t level,
                                                 std::uint32_t node)
{
    detail::tree const& walked = space_.tree_at(t);
    for (; level < paths_[t].size(); ++level) {
        paths_[t][level] = {node, 0};
        at_[walked.parameters()[level]].index = walked.values(node).front();
        node = walked.children(node).front();
    }
}

ATTUNE_INLINE void configuration_iterator::go_to_first(std::size_t t)
{
    detail::tree const& walked = space_.tree_at(t);
    if (detail::is_free(walked))
        at_[walked.parameters().front()].index = walked.run_value(0);
    else
        enter(t, 0, detail::root_of(walked));
}

ATTUNE_INLINE bool configuration_iterator::go_to_next(std::size_t t)
{
    detail::tree const& walked = space_.tree_at(t);
    if (detail::is_free(walked)) {
        std::uint32_t& index = at_[walked.parameters().front()].index;
        std::uint32_t const leaf = walked.leaves_below_value(index);
        if (leaf + leaf_count{1} >= walked.leaves()) return false;
        index = walked.run_value(leaf + 1);
        return true;
    }
    for (std::size_t level = paths_[t].size(); level-- > 0;) {
        step& here = paths_[t][level];
        std::span<std::uint32_t const> const row = walked.values(here.node);
        if (here.edge + std::size_t{1} >= row.size()) continue;
        ++here.edge;
        at_[walked.parameters()[level]].index = row[here.edge];
        enter(t, level + 1, walked.children(here.node)[here.edge]);
        return true;
    }
    return false;
}

} // namespace attune::inline ATTUNE_ABI
