// attune/space/query/marginals.hpp - numbers of valid configurations by parameter and value.
// SPDX-License-Identifier: MIT
// Source   own: leaves below a node times the paths to it, summed over the edges of a value
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

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
#include <attune/space/query/marginals.ipp>
#endif
