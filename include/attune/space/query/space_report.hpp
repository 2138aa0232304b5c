// attune/space/query/space_report.hpp - statistics of a space: its trees and constraints.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct tree_report {
    std::vector<std::string> parameters; ///< in the order of levels, from the root down
    std::size_t nodes = 0;               ///< 0 for an unconstrained parameter
    std::size_t edges = 0;
    leaf_count leaves = 0;
};

/// A group of parameters without a tree.
struct wide_report {
    std::vector<std::string> parameters;
    double log2_leaves = 0;    ///< estimated
    double relative_error = 0; ///< standard error / number of leaves
};

/// The share of all combinations of its parameters' values that one constraint alone accepts.
struct acceptance {
    std::uint32_t constraint = no_index;
    std::string text;
    std::uint64_t accepted = 0;
    std::uint64_t tested = 0;    ///< > 0
    bool is_tested = true;       ///< chain_of_trees::is_tested
    bool is_exact = false;       ///< all combinations were tested; else a uniform sample
    bool is_proven = false;      ///< intervals show that it accepts every combination
    std::uint64_t valueless = 0; ///< of `tested`, those for which the constraint has no value
    std::string because;         ///< reason of the first of these: "7 / 0 divides by zero"

    [[nodiscard]] double share() const noexcept
    {
        return static_cast<double>(accepted) / static_cast<double>(tested);
    }
};

/// Limits of the work for a report.
struct report_options {
    std::uint64_t most_combinations = 65536; ///< of one constraint; more are sampled
    std::uint64_t samples = 20000;
    std::uint64_t seed = 1;
};

struct space_report {
    std::optional<leaf_count> size; ///< valid discrete settings; nothing for 2^128 or more
    double log2_size = 0;
    double log2_combinations = 0; ///< of discrete parameters, without constraints
    double relative_error = 0;    ///< standard error / number of settings; 0 if exact
    std::vector<tree_report> trees;
    std::vector<wide_report> wide;            ///< groups whose tree is too wide
    std::vector<std::string> real_parameters; ///< in no tree
    std::vector<acceptance> constraints;      ///< in order of declaration
    report_options options;                   ///< options of the report

    /// Texts of the constraints that accept every combination, by proof or by a test of each
    /// combination. A constraint that no tree tests is among them if it accepts the whole sample,
    /// because it holds for all remaining values.
    [[nodiscard]] std::vector<std::string> always_true() const;
    /// The constraint that accepts the smallest share, the first of equals; nullptr if all accept
    /// everything.
    [[nodiscard]] acceptance const* most_restrictive() const noexcept;
};

/// Makes the report of a space.
/// Cost  one test per combination of the parameters of each constraint, within `options`
[[nodiscard]] space_report report_on(chain_of_trees const& space,
                                     report_options const& options = {});

/// The report in a few lines, one per tree.
[[nodiscard]] std::string to_text(space_report const& report);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/space_report.ipp>
#endif
