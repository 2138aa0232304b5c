// attune/space/chain_of_trees.hpp - all valid configurations of a space, without enumeration.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 (Chain-of-Trees; sampling uniform over the leaves); own: groups that are
//          too wide for a tree are drawn and counted approximately
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/tree/leaf_count.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

class tree;
class wide_tree;

} // namespace detail

/// The index of a configuration among the valid ones: one leaf number per tree.
struct space_index {
    std::vector<leaf_count> leaf;

    [[nodiscard]] friend bool operator==(space_index const&, space_index const&) = default;
};

/// Number of valid settings of the discrete parameters, exact or estimated.
struct size_estimate {
    double log2 = 0;           ///< log2 of the number
    double relative_error = 0; ///< standard error / number; 0 if exact
};

/// The valid configurations of a space: the product of its trees, one per group of parameters that
/// depend on each other, and of its real parameters, which are in no tree. Immutable; a copy
/// shares.
///
/// A group whose tree exceeds the limits has no tree, unless build_options::wide refuses it: see
/// is_exact(). Then sample(), contains() and neighbours() are still correct, but there is no exact
/// size and configurations have no index.
class chain_of_trees {
public:
    /// @param bound  a description whose inputs all have values
    /// Errors  attune::error when no configuration is valid (names contradicting constraints), when
    ///         a tree exceeds the limits of `options` (names its parameters and constraints) and is
    ///         refused or no valid setting of it is found, when an input has no value, or when
    ///         constraints over real parameters accept fewer than one draw in 10'000
    explicit chain_of_trees(description bound, build_options const& options = {});

    /// The chain of `bound`, built with the same options. Shares the trees whose tables, and whose
    /// constraints' inputs, are unchanged; a tree with an opaque constraint is always rebuilt,
    /// because the inputs that it reads are unknown.
    /// Errors  those of the constructor
    [[nodiscard]] chain_of_trees rebuilt(description bound) const;

    [[nodiscard]] description const& describe() const noexcept;
    [[nodiscard]] std::size_t tree_count() const noexcept;
    [[nodiscard]] detail::tree const& tree_at(std::size_t i) const noexcept;
    [[nodiscard]] bool has_real_parameters() const noexcept;

    /// Whether every group has a tree. If not, the trees do not contain all parameters.
    [[nodiscard]] bool is_exact() const noexcept;
    /// The number of groups without a tree, and the i-th one.
    [[nodiscard]] std::size_t wide_count() const noexcept;
    [[nodiscard]] detail::wide_tree const& wide_at(std::size_t i) const noexcept;
    /// Throws attune::error unless is_exact(), naming the groups without a tree.
    /// @param wanted  the operation that needs all trees, for the error: "numbering"
    void require_exact(std::string const& wanted) const;

    /// Number of valid settings of the discrete parameters; nothing if 2^128 or more, or unless
    /// is_exact().
    [[nodiscard]] std::optional<leaf_count> size() const noexcept;
    /// log2 of the same number, without limit; 0 for one configuration. An estimate unless
    /// is_exact().
    [[nodiscard]] double log2_size() const noexcept;
    /// log2_size() with its error.
    [[nodiscard]] size_estimate estimated_size() const noexcept;

    /// Whether parameter `index` counts at `p`: everywhere unless it was declared with active_if().
    /// @param p  one coordinate per parameter; the values of inactive ones make no difference
    [[nodiscard]] bool is_active(std::uint32_t index, point const& p) const;
    /// `p` with every inactive parameter at the one value that it has: its default, else its first
    /// value, the middle of an interval. Valid configurations stay as they are, and so does one
    /// with a coordinate outside its table or interval.
    [[nodiscard]] point settled(point p) const;
    /// Puts the real parameters of `p` where at() has them. @pre  its discrete ones are valid
    void set_reals(point& p) const;
    /// Whether the condition of a parameter decides about a real one, or reads one.
    [[nodiscard]] bool has_conditional_reals() const noexcept;

    /// The configuration of the given leaves. Real parameters are at the middle of their scale,
    /// even against constraints over them; inactive ones at their one value.
    /// @pre  one number per tree, each below that tree's leaves()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(space_index const& index) const;
    /// The i-th configuration, counting through the leaves of the last tree fastest.
    /// @pre  i is less than size()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(std::uint64_t i) const;
    /// The index of the discrete parameters of `p`; nothing if these are invalid. Ignores real
    /// ones.
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] std::optional<space_index> index_of(point const& p) const;
    /// Whether `p` is a valid configuration, its real parameters included.
    [[nodiscard]] bool contains(point const& p) const;

    /// A configuration drawn uniformly: every leaf equally likely, real parameters uniform on their
    /// scale; if constraints read real parameters, uniform over the accepted ones. For groups
    /// without a tree: always valid, nearly uniform.
    /// Errors  attune::error if a million draws in a row are refused
    [[nodiscard]] point sample(random_engine& engine) const;

    /// The valid configurations one step away from `p`, which differ in one parameter as
    /// for_each_step() describes; integer and ordinal parameters go to the next valid value.
    /// Inactive parameters take no step, and those that a step makes inactive are settled(). If no
    /// parameter of a tree can change alone, as with a == b, the most_nearest other settings of
    /// that tree follow in the order of nearest_valid(), with the other parameters unchanged. If
    /// `p` breaks constraints and no step repairs it: nearest_valid(p). Empty only if `p` is the
    /// only valid setting and no real parameter can move, or if constraints over real parameters
    /// refuse all candidates of nearest_valid().
    /// @param p  a configuration inside all tables and intervals; it may break constraints
    /// Cost   one membership test per step tried; one visit per edge of a tree without a valid step
    [[nodiscard]] std::vector<point> neighbours(point const& p) const;

    /// A sentence for each parameter outside its values, then the texts of the constraints that `p`
    /// breaks, in order of declaration. Empty if contains(p).
    [[nodiscard]] std::vector<std::string> violations(point const& p) const;

    /// Whether trees or draws test this constraint, an index into describe().constraints. False if
    /// it holds for all combinations of the remaining values.
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
