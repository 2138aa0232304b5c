// attune/space/query/reduced.hpp - a space without the values that no valid configuration has.
// SPDX-License-Identifier: MIT
// Source   own: the values on the edges of each tree; the count of each constraint alone over the
//          remaining values
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

/// A parameter or array that lost values.
struct domain_cut {
    std::string name;
    std::uint32_t before = 0; ///< number of values in `space`
    std::uint32_t after = 0;

    [[nodiscard]] friend bool operator==(domain_cut const&, domain_cut const&) = default;
};

struct reduced_space {
    description space;                ///< bound to the inputs of the original
    std::vector<domain_cut> cuts;     ///< in the order of parameters
    std::vector<std::string> dropped; ///< texts of constraints that the space no longer has
    /// Sentences on defaults that changed, on conditions that became constraints, and on parameters
    /// that keep values without a valid configuration.
    std::vector<std::string> notes;
};

struct reduce_options {
    /// Called before the count of each constraint, with the number of counted constraints and of
    /// all constraints. If it returns false, the remaining constraints stay.
    std::function<bool(std::size_t done, std::size_t all)> go_on = {};
};

/// The same configurations in smaller tables, for other tools, some of which have no constraints.
///
/// - Values that no valid configuration has are removed. The elements of an array share one table,
///   which keeps each value that an element has. A range stays a range if the remaining values form
///   one.
/// - Booleans, permutations, tiles and the number of ranges of a selector keep their values.
///   Parameters of a group without a tree (chain_of_trees::is_exact()) keep their values too. Real
///   parameters keep their intervals, and constraints over them remove no value.
/// - A constraint is removed if every combination of the remaining values fulfils it, with inactive
///   parameters at their one value. The test: the exact count with this constraint alone equals the
///   count without any constraint. Functions stay, and so do constraints over real parameters and
///   constraints whose tree is too wide to count.
/// - A removed default becomes the value in the valid configuration nearest to the defaults. If all
///   parameters have defaults that are not valid together, the defaults of unconditional parameters
///   become the values of that configuration. If the defaults are still not valid together,
///   unconditional parameters lose their defaults. If a group has no tree, the function cannot find
///   the nearest configuration, and a removed default becomes the first remaining value.
/// - A conditional parameter that is active in every valid configuration may lose its value for
///   inactive ones. Its condition then becomes a constraint, unless all combinations fulfil it.
/// - Functions (constraints, the expectation) keep a copy of the original tables, and read it.
/// - Weights of a prior follow their values. The tables are correct only for the values that the
///   inputs of `space` have.
/// Cost    one visit per edge of each tree, and one space per constraint
[[nodiscard]] reduced_space reduced(chain_of_trees const& space,
                                    reduce_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/reduced.ipp>
#endif
