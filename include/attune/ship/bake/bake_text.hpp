// attune/ship/bake/bake_text.hpp - a plan as the text of source files, and of a script for them.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The names that the files of a kernel define for each other.
struct baked_names {
    std::string stem{}; ///< an identifier that is unique in the program

    [[nodiscard]] std::string table() const { return "attune_baked_" + stem + "_table"; }
    [[nodiscard]] std::string fallback() const { return "attune_baked_" + stem + "_default"; }
    [[nodiscard]] std::string machine() const { return "attune_baked_" + stem + "_machine"; }
    /// @param level  a name of instruction_level_names
    [[nodiscard]] std::string build(std::size_t variant, std::string const& level) const;
};

/// The constants, and the function that gives them.
/// @pre  the variants have their builds
[[nodiscard]] std::string table_text(bake_plan const& plan, baked_names const& names);

/// A program that runs the builds of a table on calls of these shapes, and compares the results:
/// see ship/check/check_baked.hpp.
/// @param mark  of the table: see table_mark()
[[nodiscard]] std::string check_text(bake_plan const& plan, baked_names const& names,
                                     std::vector<std::vector<std::int64_t>> const& shapes,
                                     std::string const& mark);

/// A hash of the text of a table.
[[nodiscard]] std::string table_mark(std::string const& table);

/// The kernel file with its defaults, the function that gives `baked` the table, and the function
/// that chooses.
[[nodiscard]] std::string default_text(bake_plan const& plan, baked_names const& names);

/// The kernel file with the values of a configuration, or the configuration's generated text.
[[nodiscard]] std::string variant_text(bake_plan const& plan, baked_names const& names,
                                       std::size_t variant, std::string const& level);

/// A table for people: each variant with each level, its proof and its largest verified sizes; then
/// the default.
/// @param levels  those of the release
[[nodiscard]] std::string proof_table(bake_plan const& plan,
                                      std::vector<std::string> const& levels);

/// Flags as a response file.
[[nodiscard]] std::string flags_text(std::vector<std::string> const& flags);

/// Compiles the files of a stem, in its own folder, into lib<stem>.a, like attune_bake of CMake.
/// The symbols of each function are local to it. No function starts anything before main().
/// @pre  the variants have their builds
[[nodiscard]] std::string script_text(bake_plan const& plan, std::string const& stem);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/bake_text.ipp>
#endif
