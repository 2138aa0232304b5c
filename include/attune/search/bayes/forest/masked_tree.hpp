// attune/search/bayes/forest/masked_tree.hpp - a tree that is evaluated without branches.
// SPDX-License-Identifier: MIT
// Source   Lucchese et al. 2015 (QuickScorer: bit masks of leaves), for codes instead of numbers:
//          each code of each column has the mask of its possible leaves, and the leaf of a point is
//          the single bit common to the masks of all its codes
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/forest/coding.hpp>
#include <attune/search/bayes/forest/tree_grower.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// The prediction for one point.
struct leaf {
    double mean = 0;
    double square = 0; ///< variance + mean^2
};

/// Immutable once made.
class masked_tree {
public:
    /// @param tree   as tree_grower gives it
    /// @param about  the columns it was grown over
    /// @param least_variance  lower bound of the variance of a leaf
    masked_tree(std::span<tree_node const> tree, std::span<column const> about,
                double least_variance = 0);

    [[nodiscard]] std::size_t leaf_count() const noexcept { return leaves_.size(); }
    /// The leaf of point `p`.
    [[nodiscard]] leaf const& leaf_of(code_table const& x, std::size_t p) const noexcept;
    /// Adds the prediction for each point of `x` to `mean` and `square`, one number per point.
    /// Cost   one load and one `and` for each column split on and 64 leaves, per point
    void add(code_table const& x, std::span<double> mean, std::span<double> square) const;

private:
    struct reading {
        std::uint32_t column;
        std::size_t first; ///< in masks_: of code 0
    };

    template <std::size_t Words>
    void add_words(code_table const& x, std::span<double> mean, std::span<double> square) const;
    [[nodiscard]] std::size_t words_leaf(code_table const& x, std::size_t p) const noexcept;

    std::vector<leaf> leaves_;
    std::size_t words_ = 1; // of a mask
    std::vector<reading> readings_;
    std::vector<std::uint64_t> masks_;
};

} // namespace attune::inline ATTUNE_ABI::detail::forest

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/forest/masked_tree.ipp>
#endif
