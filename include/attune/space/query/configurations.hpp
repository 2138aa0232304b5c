// attune/space/query/configurations.hpp - iterates over all valid configurations, one in memory at a time.
// SPDX-License-Identifier: MIT
// Source   own: one path from root to leaf per tree; the next leaf shares all but its end
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configuration_range.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Points to one configuration. Copies are independent and share the trees.
class configuration_iterator {
public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = point;
    using difference_type = std::ptrdiff_t;

    /// @param from  one number per tree, each below that tree's leaves()
    /// @param most  ends after this number of configurations, if not at the last one before
    configuration_iterator(chain_of_trees space, space_index const& from,
                           leaf_count most = detail::uncountable);

    /// Valid until the next increment. Real parameters are at the middle of their scale, inactive
    /// ones at their one value.
    [[nodiscard]] point const& operator*() const noexcept { return at_; }
    [[nodiscard]] point const* operator->() const noexcept { return &at_; }

    /// Cost   amortised less than two levels; all levels of all trees at worst
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
    std::vector<std::vector<step>> paths_; // of each tree; empty if unconstrained
    point at_;
    leaf_count left_; ///< of the configurations wanted, this one included
    bool has_conditional_reals_ = false;
    bool is_done_ = false;
};

/// All valid settings of the discrete parameters, in index order, or those of a range of numbers;
/// real parameters are at the middle of their scale, even against constraints over them.
/// Errors  attune::error unless space.is_exact()
/// Cost    of begin(): one binary search per level; of the next: see operator++
/// Example  for (attune::point const& p : attune::configurations(space)) ...
///          for (attune::point const& p : attune::configurations(space, part_of(all, 2, 16))) ...
class configurations {
public:
    explicit configurations(chain_of_trees space)
        : configurations(space, space_index{std::vector<leaf_count>(space.tree_count(), 0)})
    {
    }
    /// Begins at `from` instead of the first configuration.
    configurations(chain_of_trees space, space_index from)
        : space_(std::move(space))
        , from_(std::move(from))
    {
    }
    /// Those with the numbers of `which`, as chain_of_trees::at() counts.
    /// @pre  which.last <= size(); a range without a number may lie anywhere
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/configurations.ipp>
#endif
