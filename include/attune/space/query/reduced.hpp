// attune/space/query/reduced.hpp - a space without the values that no valid configuration has.
// SPDX-License-Identifier: MIT
// Source   own: the values on the edges of each tree; a constraint alone, counted over what is left
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A parameter, or an array of them, that lost values.
struct domain_cut {
    std::string name;
    std::uint32_t before = 0; ///< values
    std::uint32_t after = 0;

    [[nodiscard]] friend bool operator==(domain_cut const&, domain_cut const&) = default;
};

/// What reduced() gives.
struct reduced_space {
    description space;                ///< bound to the inputs of the original
    std::vector<domain_cut> cuts;     ///< in the order of parameters
    std::vector<std::string> dropped; ///< texts of constraints that the space no longer has
    /// Sentences on defaults that changed, on conditions that became constraints, and on parameters
    /// that keep values without a valid configuration.
    std::vector<std::string> notes;
};

/// How a space is reduced.
struct reduce_options {
    /// Called before each constraint is counted, with the number of those that are done and of all;
    /// the remaining constraints stay where it returns false.
    std::function<bool(std::size_t done, std::size_t all)> go_on = {};
};

/// The same configurations in smaller tables, to be handed on, also to tools that know no
/// constraints.
///
/// - Each value that no valid configuration has goes. The elements of an array share one table: a
///   value stays that one of them has. A range stays a range where what is left of it is one.
/// - Booleans, permutations, tiles and the number of ranges of a selector keep their values, and so
///   do the parameters of a group without a tree (chain_of_trees::is_exact()). Real parameters keep
///   their intervals, and constraints over them remove no value.
/// - A constraint goes that every combination of the values left fulfils, where inactive parameters
///   stand at their one value: the exact count with it alone is that without any. Functions,
///   constraints over real parameters, and those whose tree is too wide to be counted stay.
/// - A default whose value is gone becomes that of the valid configuration nearest to the default
///   one. Where all parameters have a default and these are not valid together, all move there.
///   Where that would move the default of a conditional parameter, which is its value while it is
///   inactive, the other parameters lose theirs. Where a group has no tree, no nearest
///   configuration is known: a default whose value is gone becomes the first value left, and if the
///   defaults are not valid together before and after, those of unconditional parameters go.
/// - Where a conditional parameter is active in every valid configuration and loses the value at
///   which it stood elsewhere, its condition becomes a constraint, unless it is fulfilled as above.
/// - Functions (constraints, the expectation) still read the tables of the original, of which they
///   keep a copy.
/// - Weights of a prior follow their values. A table is right for the values of inputs that `space`
///   was built with, and only for these.
/// Cost    one visit per edge of each tree, and one space per constraint
[[nodiscard]] reduced_space reduced(chain_of_trees const& space,
                                    reduce_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/reduced.ipp>
#endif
