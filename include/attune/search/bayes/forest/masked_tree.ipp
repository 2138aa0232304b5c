// attune/search/bayes/forest/masked_tree.ipp - makes masks, and counts zeros.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/forest/masked_tree.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// Leaves are numbered from left to right, so that the leaves below a node are a range.
struct leaf_range {
    std::size_t first = 0;
    std::size_t middle = 0; ///< the first leaf of the right child
    std::size_t last = 0;
};

ATTUNE_INLINE masked_tree::masked_tree(std::span<tree_node const> tree,
                                       std::span<column const> about, double least_variance)
{
    std::vector<leaf_range> below(tree.size());
    struct visit {
        std::uint32_t node;
        int step; ///< 0: go left, 1: go right, 2: done
    };
    std::vector<visit> path{{0, 0}};
    while (!path.empty()) {
        visit& at = path.back();
        tree_node const& n = tree[at.node];
        leaf_range& range = below[at.node];
        if (n.column == tree_node::no_column) {
            range = {leaves_.size(), leaves_.size() + 1, leaves_.size() + 1};
            leaves_.push_back({n.mean, std::max(n.variance, least_variance) + n.mean * n.mean});
            path.pop_back();
        } else if (at.step == 0) {
            range.first = leaves_.size();
            at.step = 1;
            path.push_back({n.left, 0});
        } else if (at.step == 1) {
            range.middle = leaves_.size();
            at.step = 2;
            path.push_back({n.right, 0});
        } else {
            range.last = leaves_.size();
            path.pop_back();
        }
    }
    words_ = std::bit_ceil((leaves_.size() + 63) / 64); // masks are combined by powers of two
    std::vector<std::size_t> first_mask(about.size(), masks_.max_size());
    for (tree_node const& n : tree) {
        if (n.column == tree_node::no_column || first_mask[n.column] != masks_.max_size()) continue;
        first_mask[n.column] = masks_.size();
        readings_.push_back({n.column, masks_.size()});
        masks_.resize(masks_.size() + about[n.column].codes * words_, ~std::uint64_t{0});
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
        tree_node const& n = tree[i];
        if (n.column == tree_node::no_column) continue;
        for (std::uint32_t code = 0; code < about[n.column].codes; ++code) {
            bool const left = n.goes_left.has(static_cast<std::uint8_t>(code));
            std::uint64_t* const mask = masks_.data() + first_mask[n.column] + code * words_;
            std::size_t const last = left ? below[i].last : below[i].middle;
            for (std::size_t l = left ? below[i].middle : below[i].first; l < last; ++l)
                mask[l / 64] &= ~(std::uint64_t{1} << (l % 64));
        }
    }
}

ATTUNE_INLINE std::size_t masked_tree::words_leaf(code_table const& x, std::size_t p) const noexcept
{
    // Bits above the last leaf are never cleared, and are higher than its bit.
    for (std::size_t w = 0;; ++w) {
        std::uint64_t left = ~std::uint64_t{0};
        for (reading const& r : readings_)
            left &= masks_[r.first + x.code[r.column][p] * words_ + w];
        if (left != 0) return 64 * w + static_cast<std::size_t>(std::countr_zero(left));
    }
}

ATTUNE_INLINE leaf const& masked_tree::leaf_of(code_table const& x, std::size_t p) const noexcept
{
    return leaves_[words_leaf(x, p)];
}

template <std::size_t Words>
void masked_tree::add_words(code_table const& x, std::span<double> mean,
                            std::span<double> square) const
{
    struct stream {
        std::uint8_t const* code;
        std::uint64_t const* masks;
    };
    std::vector<stream> streams;
    for (reading const& r : readings_)
        streams.push_back({x.code[r.column].data(), masks_.data() + r.first});
    for (std::size_t p = 0; p < mean.size(); ++p) {
        std::array<std::uint64_t, Words> left;
        left.fill(~std::uint64_t{0});
        for (stream const& s : streams) {
            std::uint64_t const* const mask = s.masks + s.code[p] * Words;
            for (std::size_t w = 0; w < Words; ++w)
                left[w] &= mask[w];
        }
        std::size_t w = 0;
        while (w + 1 < Words && left[w] == 0)
            ++w;
        leaf const& of = leaves_[64 * w + static_cast<std::size_t>(std::countr_zero(left[w]))];
        mean[p] += of.mean;
        square[p] += of.square;
    }
}

ATTUNE_INLINE void masked_tree::add(code_table const& x, std::span<double> mean,
                                    std::span<double> square) const
{
    switch (words_) {
    case 1:
        return add_words<1>(x, mean, square);
    case 2:
        return add_words<2>(x, mean, square);
    case 4:
        return add_words<4>(x, mean, square);
    default:
        for (std::size_t p = 0; p < mean.size(); ++p) {
            leaf const& of = leaf_of(x, p);
            mean[p] += of.mean;
            square[p] += of.square;
        }
    }
}

} // namespace attune::inline ATTUNE_ABI::detail::forest
