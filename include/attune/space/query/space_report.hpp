// attune/space/query/space_report.hpp - what a space looks like: its trees, and what its constraints do.
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

/// One tree.
struct tree_report {
    std::vector<std::string> parameters; ///< in the order chosen, from the root down
    std::size_t nodes = 0;               ///< 0 for a parameter that nothing constrains
    std::size_t edges = 0;
    leaf_count leaves = 0;
};

/// One group of parameters without a tree.
struct wide_report {
    std::vector<std::string> parameters;
    double log2_leaves = 0;    ///< estimated
    double relative_error = 0; ///< of the number of leaves: one standard error, divided by it
};

/// How many combinations of its own parameters' values one constraint accepts, whatever the other
/// constraints say.
struct acceptance {
    std::uint32_t constraint = no_index;
    std::string text;
    std::uint64_t accepted = 0;
    std::uint64_t tested = 0;    ///< > 0
    bool is_tested = true;       ///< chain_of_trees::is_tested: some tree or draw depends on it
    bool is_exact = false;       ///< all combinations were tested; else a uniform sample of them
    bool is_proven = false;      ///< intervals show that it accepts every combination
    std::uint64_t valueless = 0; ///< of `tested`, those that it refuses since it has no value there
    std::string because;         ///< how the first of them has none: "7 / 0 divides by zero"

    [[nodiscard]] double share() const noexcept
    {
        return static_cast<double>(accepted) / static_cast<double>(tested);
    }
};

/// How much work a report may be.
struct report_options {
    std::uint64_t most_combinations = 65536; ///< of one constraint; above, a sample is taken
    std::uint64_t samples = 20000;
    std::uint64_t seed = 1;
};

/// A whole space.
struct space_report {
    std::optional<leaf_count> size; ///< valid settings of discrete parameters; nothing past 2^128-1
    double log2_size = 0;
    double log2_combinations = 0; ///< of the same parameters, without constraints
    double relative_error =
        0; ///< one standard error of the number of settings; 0 where it is exact
    std::vector<tree_report> trees;
    std::vector<wide_report> wide;            ///< parameters whose tree is too wide to be built
    std::vector<std::string> real_parameters; ///< in no tree
    std::vector<acceptance> constraints;      ///< in order of declaration
    report_options options;                   ///< what the report was made with

    /// Texts of the constraints that accept every combination: intervals prove it, or all were
    /// tested. Where neither is so: those that no tree tests, as they hold for all values left, and
    /// that refused none of the sample.
    [[nodiscard]] std::vector<std::string> always_true() const;
    /// The constraint that accepts the smallest share, the first of equals; nullptr when there is
    /// no constraint that refuses anything.
    [[nodiscard]] acceptance const* most_restrictive() const noexcept;
};

/// Looks at a space.
/// Cost  one test per combination of the parameters of each constraint, within `options`
[[nodiscard]] space_report report_on(chain_of_trees const& space,
                                     report_options const& options = {});

/// The report in a few lines, one per tree.
[[nodiscard]] std::string to_text(space_report const& report);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/query/space_report.ipp>
#endif
