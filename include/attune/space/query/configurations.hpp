// attune/space/query/configurations.hpp - all valid configurations: by number, in equal parts, drawn without replacement, nearest, counted by value.
// SPDX-License-Identifier: MIT
// Source   own: one path from root to leaf per tree; the path of the next leaf differs at its end
// Source   Bentley and Floyd, "Programming pearls: a sample of brilliance", CACM 30(9), 1987,
//          algorithm F2, on the numbers of the configurations
// Source   own: A* over the shared nodes of each tree with exact bounds from the leaves up, so that
//          each answer costs one walk; the best combinations over the trees by merging sorted lists
// Source   own: leaves below a node times the paths to it, summed over the edges of a value
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// `count` distinct valid configurations in random order: every sequence of `count` of them is
/// equally likely, also if `count` is near the size. If the space has fewer: all of them, shuffled.
///
/// If the space has real parameters, or 2^128 configurations or more, the function draws by
/// sample() and skips equal draws. The result is shorter than `count` only after a million equal
/// draws in a row.
/// Errors  those of sample()
/// Cost    one random number and one walk of the trees per configuration; memory for all of them
[[nodiscard]] std::vector<point> sample_distinct(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine);

/// The configurations with the numbers `first` to `last - 1`, as chain_of_trees::at() counts.
struct configuration_range {
    leaf_count first = 0;
    leaf_count last = 0;

    [[nodiscard]] constexpr bool is_empty() const noexcept { return first >= last; }
    [[nodiscard]] constexpr leaf_count size() const noexcept
    {
        return is_empty() ? 0 : last - first;
    }
    [[nodiscard]] friend bool operator==(configuration_range const&,
                                         configuration_range const&) = default;
};

/// The numbers of all configurations. A configuration has the same number in two processes if both
/// build() the space from the same declaration, inputs and options.
/// Errors  attune::error: not space.is_exact(), or 2^128 configurations or more
[[nodiscard]] inline configuration_range whole_range(chain_of_trees const& space)
{
    space.require_exact("numbering");
    std::optional<leaf_count> const size = space.size();
    if (!size)
        throw error("a space has 2^128 configurations or more, too many to number", "its size",
                    "give its parameters fewer values, or draw configurations by sample()");
    return {0, *size};
}

/// Part `part` of `parts` of a range: the parts follow each other without a gap, and their sizes
/// differ by 1 at most. With more parts than numbers, some parts are empty.
/// @param part  1 to `parts`
/// Errors  attune::error: `part` is outside 1 to `parts`
[[nodiscard]] constexpr configuration_range part_of(configuration_range const& whole,
                                                    std::uint64_t part, std::uint64_t parts)
{
    if (part < 1 || part > parts)
        throw error("a range has no part " + std::to_string(part) + " of " + std::to_string(parts),
                    "part_of", "number the parts from 1 to their number");
    leaf_count const each = whole.size() / parts;
    leaf_count const longer = whole.size() % parts; // number of parts with one number more
    auto const begin = [&](leaf_count before) {
        return whole.first + each * before + std::min(before, longer);
    };
    return {begin(part - 1), begin(part)};
}

/// The leaves of configuration `number`; the leaf of the last tree changes fastest.
/// Errors  attune::error unless space.is_exact() and number < space.size()
[[nodiscard]] inline space_index index_of_number(chain_of_trees const& space, leaf_count number)
{
    space.require_exact("numbering");
    space_index out;
    out.leaf.resize(space.tree_count());
    for (std::size_t t = space.tree_count(); t-- > 0;) {
        leaf_count const leaves = space.tree_at(t).leaves();
        out.leaf[t] = number % leaves;
        number /= leaves;
    }
    if (number != 0)
        throw error("a space has no configuration of that number", "a configuration_range",
                    "take ranges of whole_range() of the same space, with the same inputs");
    return out;
}

/// Points to one configuration. Copies are independent and share the trees.
class configuration_iterator {
public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = point;
    using difference_type = std::ptrdiff_t;

    /// @param from  one number for each tree, below the leaves() of that tree
    /// @param most  the iterator ends after this number of configurations, or after the last one
    configuration_iterator(chain_of_trees space, space_index const& from,
                           leaf_count most = detail::uncountable);

    /// The configuration; valid until the next increment. Real parameters are at the middle of
    /// their scale, inactive ones at their one value.
    [[nodiscard]] point const& operator*() const noexcept { return at_; }
    [[nodiscard]] point const* operator->() const noexcept { return &at_; }

    /// Cost   amortised less than two levels; at worst all levels of all trees
    configuration_iterator& operator++();
    void operator++(int) { ++*this; }

    [[nodiscard]] friend bool operator==(configuration_iterator const& i, std::default_sentinel_t)
    {
        return i.is_done_;
    }

private:
    struct step {
        std::uint32_t node; ///< of the level
        std::uint32_t edge; ///< index of the edge taken
    };

    void enter(std::size_t t, std::size_t level, std::uint32_t node);
    void go_to_first(std::size_t t);
    bool go_to_next(std::size_t t);

    chain_of_trees space_;
    std::vector<std::vector<step>> paths_; // by tree; empty if unconstrained
    point at_;
    leaf_count left_; ///< number of configurations left, with this one
    bool has_conditional_reals_ = false;
    bool is_done_ = false;
};

/// All valid settings of the discrete parameters, in index order, or a range of them by number.
/// Real parameters are at the middle of their scale, even if constraints refuse it.
/// Errors  attune::error unless space.is_exact()
/// Cost    of begin(): one binary search per level; of a step: see operator++
/// Example  for (attune::point const& p : attune::configurations(space)) ...
///          for (attune::point const& p : attune::configurations(space, part_of(all, 2, 16))) ...
class configurations {
public:
    explicit configurations(chain_of_trees space)
        : configurations(space, space_index{std::vector<leaf_count>(space.tree_count(), 0)})
    {
    }
    /// Starts at `from` instead of the first configuration.
    configurations(chain_of_trees space, space_index from)
        : space_(std::move(space))
        , from_(std::move(from))
    {
    }
    /// The configurations with the numbers `which`, as chain_of_trees::at() counts.
    /// @pre  which.last <= size(), unless the range is empty
    configurations(chain_of_trees space, configuration_range const& which)
        : space_(std::move(space))
        , from_(index_of_number(space_, which.is_empty() ? 0 : which.first))
        , most_(which.size())
    {
    }
    [[nodiscard]] configuration_iterator begin() const { return {space_, from_, most_}; }
    [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

private:
    chain_of_trees space_;
    space_index from_;
    leaf_count most_ = detail::uncountable;
};

/// The valid configurations other than `p` with the fewest changed parameters; among equally many
/// changes, with the smallest distance() (distance.hpp). If neighbours() finds no step, it returns
/// them. Inactive parameters of a result count as unchanged; those of `p` have their one value, see
/// chain_of_trees::settled().
///
/// The result is exact: no other configuration is nearer. Real parameters keep the values that they
/// have in `p`. If constraints read real parameters, the function tests only the nearest
/// `candidates` settings, and may return fewer than `count` points.
/// @param p  a configuration inside all tables and intervals; it may break constraints
/// @return   at most options.count points; fewer if the space has no more
/// Errors  attune::error unless space.is_exact()
/// Cost      one visit per edge of each tree, one distance per value, then a walk per answer
[[nodiscard]] std::vector<point> nearest_valid(chain_of_trees const& space, point const& p,
                                               nearest_options const& options = {});

/// Counts for each value of each discrete parameter. Real parameters have no counts, and
/// constraints over them have no effect on the counts.
class marginals {
public:
    /// @param most_values  leaves() is empty for a parameter that has more values than this and is
    ///                     in no constraint
    /// Errors  attune::error unless space.is_exact()
    /// Cost   two visits per edge of each tree, 16 bytes per value
    explicit marginals(chain_of_trees const& space, std::uint32_t most_values = ~std::uint32_t{0});

    /// The tree of a parameter; tree_count() for a real parameter.
    [[nodiscard]] std::size_t tree_of(std::uint32_t parameter) const noexcept
    {
        return tree_of_[parameter];
    }
    /// The number of leaves of a parameter's tree with each value; they add up to leaves() of that
    /// tree. Empty for a real parameter, and beyond `most_values` of the constructor.
    [[nodiscard]] std::span<leaf_count const> leaves(std::uint32_t parameter) const noexcept
    {
        return in_tree_[parameter];
    }
    /// Number of valid configurations of the whole space with value `index`; 0 for a value that is
    /// never valid. Nothing if 2^128 or more; exact_count() in exact_size.hpp has no limit.
    /// @pre  the parameter is discrete, `index` lies in its table
    [[nodiscard]] std::optional<leaf_count> configurations(std::uint32_t parameter,
                                                           std::uint32_t index) const;
    /// The share of valid configurations with value `index`, in [0, 1].
    /// @pre  the parameter is discrete, `index` lies in its table
    [[nodiscard]] double share(std::uint32_t parameter, std::uint32_t index) const;

private:
    std::vector<std::size_t> tree_of_;
    std::vector<std::vector<leaf_count>> in_tree_;
    std::vector<leaf_count> tree_leaves_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/configurations.ipp>
#endif
