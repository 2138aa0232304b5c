// attune/space/query/explanation.hpp - reasons why a configuration is not valid, and constraints that none satisfies.
// SPDX-License-Identifier: MIT
// Source   own: a minimal conflict by deletion, one constraint at a time
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_options.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Kinds of reasons why a configuration is not valid.
enum class constraint_fault : std::uint8_t {
    outside,          ///< no constraint: a parameter is outside its table or interval
    is_false,         ///< the value is false
    division_by_zero, ///< no value: a division or a remainder by zero
    overflow,         ///< no value: a result beyond 64 bits
    no_value,         ///< no value for another reason: a text instead of a number
    refused,          ///< an opaque predicate refuses
};

/// A reason why a configuration is not valid.
struct broken_constraint {
    std::uint32_t constraint = no_index; ///< index; no_index for a parameter outside its values
    constraint_fault how{};
    std::string text; ///< as the user wrote it: "4 * TILE_M * TILE_K <= 32768"
    /// "4 * 256 * 64 = 65536 <= 32768 is false"; of an `&&`, only the broken parts. A comparison
    /// with bytes of the machine: "8 * 409600 = 3276800 (3.12 MiB) <= 1048576 (1 MiB) ...".
    std::string because;

    [[nodiscard]] friend bool operator==(broken_constraint const&,
                                         broken_constraint const&) = default;
};

/// All reasons why `p` is invalid. Parameters outside their values come first; then broken
/// constraints in order of declaration, except those that read such a parameter. Empty if and only
/// if `p` is valid. The reasons are those of chain_of_trees::violations().
/// @param space  bound, such as chain_of_trees::describe()
/// @param p      one coordinate per parameter
[[nodiscard]] std::vector<broken_constraint> explain(description const& space, point const& p);

namespace detail {

/// ", N=4096, machine.l2_bytes=1048576": the inputs that a constraint reads, with their values.
[[nodiscard]] std::string text_of_inputs(description const& space, constraint_description const& c);

} // namespace detail

/// "4 * TILE_M * TILE_K <= 32768: 4 * 256 * 64 = 65536 <= 32768 is false", one line per reason.
[[nodiscard]] std::string to_text(std::span<broken_constraint const> broken);

/// Indices of constraints that no configuration satisfies together. If one of them is removed, a
/// configuration satisfies the others. Conditions over real parameters do not count.
/// @pre   no configuration satisfies all of them
/// Cost   one search for a valid configuration per constraint. A search that reaches the limits of
///        `options` counts as successful, so the result may contain a constraint that it does not
///        need.
[[nodiscard]] std::vector<std::uint32_t> contradicting_constraints(description const& space,
                                                                   build_options options = {});

namespace detail {

/// Throws the error for a space without a valid configuration.
[[noreturn]] void throw_empty(description const& space, build_options const& options);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/explanation.ipp>
#endif
