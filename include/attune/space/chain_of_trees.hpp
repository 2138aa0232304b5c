// attune/space/chain_of_trees.hpp - all valid configurations of a space, without enumeration.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 (Chain-of-Trees; sampling uniform over the leaves); own: draws and
//          estimates for groups that are too wide for a tree
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/build_options.hpp>

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

/// The valid configurations of a space: the product of its trees and its real parameters, which are
/// in no tree. Each group of parameters that depend on each other has a tree. Immutable; copies
/// share the trees.
///
/// A group whose tree would exceed the limits has no tree, and is_exact() is false; or the
/// constructor throws, see build_options::wide. Without one of the trees, sample(), contains() and
/// neighbours() are still correct, but size() is not known and configurations have no index.
class chain_of_trees {
public:
    /// @param bound  a description whose inputs all have values
    /// Errors  attune::error: no configuration is valid (names contradicting constraints); a tree
    ///         would exceed the limits of `options`, and options.wide is `refuse` or no valid
    ///         setting of its parameters is found (names parameters and constraints); an input has
    ///         no value; constraints over real parameters accept fewer than one draw in 10'000
    explicit chain_of_trees(description bound, build_options const& options = {});

    /// The chain of `bound`, built with the same options. Shares a tree if its tables and the
    /// inputs of its constraints are unchanged. Always rebuilds a tree with an opaque constraint,
    /// which may read any input.
    /// Errors  those of the constructor
    [[nodiscard]] chain_of_trees rebuilt(description bound) const;

    [[nodiscard]] description const& describe() const noexcept;
    [[nodiscard]] std::size_t tree_count() const noexcept;
    [[nodiscard]] detail::tree const& tree_at(std::size_t i) const noexcept;
    [[nodiscard]] bool has_real_parameters() const noexcept;

    /// Returns true if every group has a tree. If false, some parameters are in no tree.
    [[nodiscard]] bool is_exact() const noexcept;
    /// The number of groups without a tree, and the i-th of these groups.
    [[nodiscard]] std::size_t wide_count() const noexcept;
    [[nodiscard]] detail::wide_tree const& wide_at(std::size_t i) const noexcept;
    /// Throws attune::error unless is_exact(); the error names the groups without a tree.
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

    /// Returns true if parameter `index` is active at `p`: always, unless it has active_if().
    /// @param p  one coordinate per parameter; values of inactive ones have no effect
    [[nodiscard]] bool is_active(std::uint32_t index, point const& p) const;
    /// `p` with every inactive parameter at its one value: its default, else its first value or the
    /// middle of an interval. Leaves valid configurations unchanged, and any `p` that has a
    /// coordinate outside its table or interval.
    [[nodiscard]] point settled(point p) const;
    /// Sets the real parameters of `p` as at() does. @pre  its discrete parameters are valid
    void set_reals(point& p) const;
    /// Returns true if a condition reads a real parameter, or a real parameter has a condition.
    [[nodiscard]] bool has_conditional_reals() const noexcept;

    /// The configuration of the given leaves. Real parameters are at the middle of their scale,
    /// even if constraints refuse it; inactive parameters have their one value.
    /// @pre  one number per tree, each below that tree's leaves()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(space_index const& index) const;
    /// The i-th configuration; the leaf of the last tree changes fastest.
    /// @pre  i is less than size()
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] point at(std::uint64_t i) const;
    /// The index of the discrete parameters of `p`; nothing if they are invalid. Ignores real ones.
    /// Errors  attune::error unless is_exact()
    [[nodiscard]] std::optional<space_index> index_of(point const& p) const;
    /// Returns true if `p` is a valid configuration, with its real parameters.
    [[nodiscard]] bool contains(point const& p) const;

    /// A random valid configuration: every leaf is equally likely, and real parameters are uniform
    /// on their scale. If constraints read real parameters, sample() repeats the draw until they
    /// accept it. Settings of groups without a tree are only nearly uniform.
    /// Errors  attune::error if a million draws in a row are refused
    [[nodiscard]] point sample(random_engine& engine) const;

    /// The valid configurations one step away from `p`. A step changes one active parameter as
    /// for_each_step() describes. Integer and ordinal parameters go to the next valid value.
    /// settled() then sets the parameters that the step makes inactive.
    ///
    /// If no parameter of a tree can change alone, as with a == b, other settings of that tree
    /// follow: at most most_nearest, in the order of nearest_valid(). Other parameters keep their
    /// values. If `p` breaks constraints and no step repairs it, the result is nearest_valid(p).
    /// The result is empty in two cases only. `p` is the only valid setting, and no real parameter
    /// can move; or constraints over real parameters refuse all settings that nearest_valid()
    /// tests.
    /// @param p  a configuration inside all tables and intervals; it may break constraints
    /// Cost   one membership test per step tried; one visit per edge of a tree without a valid step
    [[nodiscard]] std::vector<point> neighbours(point const& p) const;

    /// A sentence for each parameter outside its values, then the texts of the constraints that `p`
    /// breaks, in order of declaration. A constraint that reads a parameter outside its values is
    /// not among them. Empty if contains(p).
    [[nodiscard]] std::vector<std::string> violations(point const& p) const;

    /// Returns true if trees or draws test this constraint, an index into describe().constraints.
    /// False if it holds for all combinations of the remaining values.
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
