// attune/search/bayes/forest/tree.hpp - features as columns of bytes, and trees that read them.
// SPDX-License-Identifier: MIT
// Source   Breiman et al. 1984 (CART: least squares; categories ordered by their mean); Breiman
//          2001 (a random choice of columns at each split); Hutter et al. 2014 (a random threshold
//          between neighbouring values, so that trees disagree where nothing was observed)
// Source   masked_tree: Lucchese et al. 2015 (QuickScorer: bit masks of leaves), for codes instead
//          of numbers: each code of each column has the mask of its possible leaves, and the leaf
//          of a point is the single bit common to the masks of all its codes
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// A set of codes.
class code_set {
public:
    [[nodiscard]] constexpr bool has(std::uint8_t code) const noexcept
    {
        return (words_[code / 64U] >> (code % 64U) & 1U) != 0;
    }
    constexpr void add(std::uint8_t code) noexcept
    {
        words_[code / 64U] |= std::uint64_t{1} << (code % 64U);
    }
    /// Calls `visit(code)` for each, ascending.
    template <class Visit>
    constexpr void for_each(Visit const& visit) const
    {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                visit(static_cast<std::uint8_t>(64 * w +
                                                static_cast<std::size_t>(std::countr_zero(rest))));
    }
    [[nodiscard]] friend constexpr bool operator==(code_set const&, code_set const&) = default;

private:
    std::array<std::uint64_t, 4> words_{};
};

/// The most codes of a column, because a code is a byte.
inline constexpr std::uint32_t most_codes = 256;

/// Properties of a column of codes.
struct column {
    std::uint32_t codes = 0; ///< codes are below it
    bool is_nominal = false; ///< codes have no order
    bool operator==(column const&) const = default;
};

/// Points as codes, column by column.
struct code_table {
    std::vector<column> about;
    std::vector<std::vector<std::uint8_t>> code; ///< [column][point]
    std::size_t points = 0;
};

/// Converts the features of a map to codes:
///   on a line     one code per level; continuous features and those with more than most_codes
///                 levels are cut into most_codes cells
///   nominal       one code per level, modulo most_codes
///   permutations  one column for each number that places a level, so that a tree can ask whether
///   and tiles     an item comes early or a factor is large
class coding {
public:
    explicit coding(feature_map const& features);

    [[nodiscard]] std::vector<column> const& columns() const noexcept { return about_; }

    /// The rows first .. of `table` as codes, appended to `out`, which is empty or holds codes of
    /// this coding.
    void append(feature_table const& table, std::size_t first, code_table& out) const;
    [[nodiscard]] code_table operator()(feature_table const& table) const
    {
        code_table out;
        append(table, 0, out);
        return out;
    }

private:
    std::vector<column> about_;
    std::vector<std::uint32_t> feature_;              // feature read by each column
    std::vector<std::vector<std::uint8_t>> of_level_; // code of each level; empty: continuous
};

/// Options of growing a forest.
struct options {
    std::size_t trees = 40;
    bool bootstrap = true;         ///< each tree learns from as many points, drawn with replacement
    std::size_t min_leaf = 2;      ///< fewest points of a leaf
    std::size_t max_depth = 64;    ///< most splits above a leaf
    double column_share = 5.0 / 6; ///< share of a node's varying columns tried for its split
    /// Lower bound of a leaf's variance, as a share of the variance of all points. A few equal
    /// points in a leaf do not prove that the function is constant there.
    double variance_floor = 0.01;
};

/// One node: a split, or a leaf.
struct tree_node {
    static constexpr std::uint32_t no_column = ~std::uint32_t{0};

    std::uint32_t column = no_column; ///< no_column: a leaf
    std::uint32_t left = 0;           ///< child for the codes in `goes_left`
    std::uint32_t right = 0;          ///< child for the other codes
    code_set goes_left;
    double mean = 0;     ///< of the points at this node
    double variance = 0; ///< of these points around `mean`, divided by their number
    std::uint32_t points = 0;
};

/// Grows trees over one set of points. Keeps scratch memory between trees.
class tree_grower {
public:
    /// @pre  as many numbers as points; all arguments outlive this object
    tree_grower(code_table const& x, std::span<double const> y, options const& how);

    /// A tree over `points`, which may repeat; they are reordered. Node 0 is its root.
    /// @pre  points are not empty
    [[nodiscard]] std::vector<tree_node> grow(std::span<std::uint32_t> points,
                                              random_engine& engine);

private:
    struct split {
        double gain = 0;
        std::uint32_t column = tree_node::no_column;
        code_set goes_left;
    };
    struct group { // points of a node with one code
        std::uint8_t code;
        double count;
        double sum;
    };

    [[nodiscard]] tree_node describe(std::span<std::uint32_t const> points) const;
    [[nodiscard]] split best_split(std::span<std::uint32_t const> points, tree_node const& at,
                                   random_engine& engine);
    void gather_groups(std::uint32_t c, std::span<std::uint32_t const> points, double mean);
    void try_column(std::uint32_t c, double points, random_engine& engine, split& best);
    [[nodiscard]] code_set left_of(std::uint32_t c, std::size_t cut, random_engine& engine) const;

    code_table const& x_;
    std::span<double const> y_;
    options how_;
    std::vector<std::uint32_t> order_; // of the columns
    std::vector<group> groups_;
    std::vector<double> count_; // scratch, by code
    std::vector<double> sum_;
};

/// The prediction for one point.
struct leaf {
    double mean = 0;
    double square = 0; ///< variance + mean^2
};

/// Immutable once made.
class masked_tree {
public:
    /// @param tree   the result of tree_grower
    /// @param about  the columns that it was grown over
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
#include <attune/search/bayes/forest/tree.ipp>
#endif
