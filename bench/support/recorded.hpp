// bench/support/recorded.hpp - spaces that were measured whole: an evaluation is a look-up.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace bench {

/// One recorded configuration: the text of each value, and its time when it worked.
struct recorded_row {
    std::vector<std::string> values;
    double time_ms = -1;  ///< not positive: it failed
    std::string status{}; ///< "ok", or how it failed
};

/// What a file says, before it is a space.
struct recorded_file {
    std::string name;
    std::vector<std::string> parameters;          ///< names, one per value of a row
    std::vector<std::vector<std::string>> values; ///< in the order of the file; empty: as in rows
    std::vector<std::string> constraints;         ///< Python-like expressions
    std::vector<recorded_row> rows;
};

/// A space and the outcome of every configuration in it.
struct recording {
    std::string name;
    attune::chain_of_trees space;
    std::unordered_map<attune::point, attune::outcome, attune::point_hash> outcomes;
    double best_ms = std::numeric_limits<double>::infinity();
    std::size_t failures = 0;

    /// What became of `p`; the time is in milliseconds.
    [[nodiscard]] attune::outcome const& at(attune::point const& p) const { return outcomes.at(p); }
};

/// The paths of all files of a recorded form in `directory` and below, sorted: *.csv.gz, *.csv, and
/// T4 results *.json, *.json.gz.
/// Errors  std::runtime_error when the directory cannot be read or has none
[[nodiscard]] std::vector<std::string> recorded_paths(std::string const& directory);

/// Reads a file of either form. A JSON file that is no T4 result is nothing.
/// Errors  std::runtime_error naming the file and what is wrong
[[nodiscard]] std::optional<recorded_file> read_recorded(std::string const& path);

/// Makes the space of a file: its constraints are read where the expressions are understood; when
/// they admit more than the rows, a last constraint says which configurations were recorded.
/// @param[out] notes  sentences about what was not as it should be
/// Errors  std::runtime_error naming the space: no rows, none of which worked, a row twice
[[nodiscard]] recording make_recording(recorded_file const& from, std::vector<std::string>& notes);

} // namespace bench

#include "recorded_files.hpp"
#include "recorded_space.hpp"
