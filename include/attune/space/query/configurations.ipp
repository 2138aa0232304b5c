// attune/space/query/configurations.ipp - moves to the next leaf of each tree; Floyd's algorithm on 128-bit numbers; passes over each tree.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/detail/nearest_leaves.hpp>
#include <attune/space/query/configurations.hpp>

#include <unordered_set>

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

ATTUNE_INLINE std::vector<point> nearest_valid(chain_of_trees const& space, point const& p,
                                               nearest_options const& options)
{
    ATTUNE_ASSERT(p.size() == space.describe().parameters.size(),
                  "a point has one coordinate per parameter");
    space.require_exact("finding the nearest valid configurations");
    return detail::nearest_settings(space, p, options);
}

namespace detail {

/// Adds the leaves under every edge of `t` to the count of its value.
inline void count_values(tree const& t, std::vector<std::vector<leaf_count>>& counts)
{
    if (is_free(t)) {
        for (std::uint32_t leaf = 0; leaf < t.leaves(); ++leaf)
            counts[t.parameters().front()][t.run_value(leaf)] = 1;
        return;
    }
    std::vector<leaf_count> const below = leaves_below(t);
    std::vector<leaf_count> ways(t.node_count(), 0); // number of paths from the root
    std::vector<std::size_t> const level = levels_of(t);
    ways[root_of(t)] = 1;
    for (std::uint32_t node = root_of(t) + 1; node-- > 0;) {
        if (ways[node] == 0) continue;
        std::span<std::uint32_t const> const values = t.values(node);
        std::span<std::uint32_t const> const children = t.children(node);
        std::vector<leaf_count>& of_level = counts[t.parameters()[level[node]]];
        for (std::size_t e = 0; e < values.size(); ++e) {
            if (children[e] == tree_edge::no_child) {
                of_level[values[e]] += ways[node];
                continue;
            }
            of_level[values[e]] += ways[node] * below[children[e]];
            ways[children[e]] += ways[node];
        }
    }
}

} // namespace detail

ATTUNE_INLINE marginals::marginals(chain_of_trees const& space, std::uint32_t most_values)
{
    space.require_exact("counting configurations by value");
    std::vector<parameter_description> const& all = space.describe().parameters;
    auto const is_left_out = [&](detail::tree const& t) {
        return detail::is_free(t) && all[t.parameters().front()].value_count() > most_values;
    };
    in_tree_.resize(all.size());
    tree_of_.assign(in_tree_.size(), space.tree_count());
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        bool const counts = !is_left_out(space.tree_at(t));
        for (std::uint32_t const parameter : space.tree_at(t).parameters()) {
            tree_of_[parameter] = t;
            if (counts) in_tree_[parameter].assign(all[parameter].value_count(), 0);
        }
        tree_leaves_.push_back(space.tree_at(t).leaves());
        if (!counts) continue;
        detail::count_values(space.tree_at(t), in_tree_);
    }
}

ATTUNE_INLINE std::optional<leaf_count> marginals::configurations(std::uint32_t parameter,
                                                                  std::uint32_t index) const
{
    leaf_count product = in_tree_[parameter][index];
    if (product == 0) return product;
    for (std::size_t t = 0; t < tree_leaves_.size(); ++t) {
        if (t == tree_of_[parameter]) continue;
        if (product > detail::uncountable / tree_leaves_[t]) return {};
        product *= tree_leaves_[t];
    }
    return product;
}

ATTUNE_INLINE double marginals::share(std::uint32_t parameter, std::uint32_t index) const
{
    return static_cast<double>(in_tree_[parameter][index]) /
           static_cast<double>(tree_leaves_[tree_of_[parameter]]);
}

} // namespace attune::inline ATTUNE_ABI
