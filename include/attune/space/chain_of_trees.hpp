// attune/space/chain_of_trees.hpp - every valid configuration of a space, none of them enumerated.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 (Chain-of-Trees; sampling uniform over the leaves); own: what is too wide
//          for a tree is drawn and counted approximately
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/tree/tree.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The place of a configuration among all valid ones: one leaf number per tree.
struct space_index {
    std::vector<leaf_count> leaf;

    [[nodiscard]] friend bool operator==(space_index const&, space_index const&) = default;
};

/// How many valid settings of the discrete parameters there are, as far as that is known.
struct size_estimate {
    double log2 = 0;           ///< log2 of the number
    double relative_error = 0; ///< one standard error, divided by the number; 0 where it is exact
};

/// The valid configurations of a space: the product of its trees, one per group of parameters that
/// depend on each other, times its real parameters, which are in no tree. Immutable; a copy shares.
///
/// A group whose tree takes more than the limits has no tree unless build_options::wide refuses
/// that: see is_exact(). Then nothing is wrong that is said of validity - sample(), contains(),
/// neighbours() -, but there is no exact size and configurations have no numbers.
class chain_of_trees {
public:
    /// @param bound  a description whose inputs all have values
    /// Errors  attune::error when nothing is valid (names constraints that contradict each other),
    ///         when a tree takes more than the limits of `options` (names its parameters and
    ///         constraints) and is refused or no valid setting of it is found,
    ///         when an input has no value, or when constraints over real parameters accept fewer
    ///         than one draw in 10'000
    explicit chain_of_trees(description bound, build_options const& options = {});

    /// The chain of `bound`, built with the same options. Trees are shared with this one where
    /// neither a table nor an input that their constraints read differs; a tree with an opaque
    /// constraint is always built anew, for nobody can see what that reads.
    /// Errors  those of the constructor
    [[nodiscard]] chain_of_trees rebuilt(description bound) const;

    [[nodiscard]] description const& describe() const noexcept;
    [[nodiscard]] std::size_t tree_count() const noexcept;
    [[nodiscard]] tree const& tree_at(std::size_t i) const noexcept;
    [[nodiscard]] bool has_real_parameters() const noexcept;

    /// Whether every group has its tree. If not, those that tree_at() gives are not all parameters.
    [[nodiscard]] bool is_exact() const noexcept;
    /// Groups without a tree, and the i-th of them.
    [[nodiscard]] std::size_t wide_count() const noexcept;
    [[nodiscard]] wide_tree const& wide_at(std::size_t i) const noexcept;
    /// Throws attune::error unless is_exact(), naming the groups without a tree.
    /// @param wanted  what needs all trees, as the error's sentence begins: "numbering"
    void require_exact(std::string const& wanted) const;

    /// Number of valid settings of the discrete parameters; nothing when it is 2^128 or more, and
    /// nothing when it is not known exactly.
    [[nodiscard]] std::optional<leaf_count> size() const noexcept;
    /// log2 of the same number, however large; 0 for one configuration. An estimate unless
    /// is_exact().
    [[nodiscard]] double log2_size() const noexcept;
    /// The same with its error.
    [[nodiscard]] size_estimate estimated_size() const noexcept;

    /// The configuration on the given leaves. Real parameters stand at the middle of their scale,
    /// whatever constraints over them say.
    /// @pre  one number per tree, each below that tree's leaves()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(space_index const& index) const;
    /// The i-th configuration, counting through the leaves of the last tree fastest.
    /// @pre  i is less than size()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(std::uint64_t i) const;
    /// Where the discrete parameters of `p` stand; nothing when their setting is not valid. Says
    /// nothing about real parameters.
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] std::optional<space_index> index_of(point const& p) const;
    /// Whether `p` is a valid configuration, its real parameters included.
    [[nodiscard]] bool contains(point const& p) const;

    /// A configuration drawn uniformly: every leaf equally likely, real parameters uniform on their
    /// scale; where constraints read real parameters, uniform over what they accept. Groups without
    /// a tree: always valid, about uniform.
    /// Errors  attune::error if a million draws in a row are refused
    [[nodiscard]] point sample(random_engine& engine) const;

    /// The valid configurations one step away from `p`: they differ in one parameter, as
    /// for_each_step says; integer and ordinal parameters go to the next value that is valid.
    /// Where no parameter of a tree can change alone, as with a == b, the nearest other settings of
    /// that tree follow, as nearest_valid orders them: most_nearest of them, and the other
    /// parameters stay. Where `p` breaks constraints and no step mends it: nearest_valid(p).
    /// So nothing comes back only where `p` is the only valid setting and no real parameter can
    /// move, or where constraints over real parameters refuse all that nearest_valid tries.
    /// @param p  a configuration inside all tables and intervals; it may break constraints
    /// Cost   one membership test per step tried; for a tree where none is valid one visit per edge
    [[nodiscard]] std::vector<point> neighbours(point const& p) const;

    /// The constraints that `p` breaks, as the user wrote them, in order of declaration, after one
    /// sentence for each parameter that stands outside its values. Empty if contains(p).
    [[nodiscard]] std::vector<std::string> violations(point const& p) const;

    /// Whether trees or draws still test this constraint, an index into describe().constraints.
    /// False where it was found to hold for every choice of the values that are left.
    [[nodiscard]] bool is_tested(std::uint32_t constraint) const noexcept;

private:
    struct state;
    explicit chain_of_trees(std::shared_ptr<state const> made) noexcept;

    std::shared_ptr<state const> shared_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/chain_of_trees.ipp>
#endif
