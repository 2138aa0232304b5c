// bench/support/recorded.hpp - the recordings of a folder, and what a bench changes about one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/recorded.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

/// A space and the outcome of every configuration in it.
struct recording {
    std::string name;
    attune::chain_of_trees space;
    attune::recorded::outcome_table outcomes;
    double best_ms = std::numeric_limits<double>::infinity();
    std::size_t failures = 0;

    /// What became of `p`; the time is in milliseconds.
    [[nodiscard]] attune::outcome const& at(attune::point const& p) const { return outcomes.at(p); }
};

/// The paths of all files in `directory` and below that are named as recordings are, sorted:
/// *.csv.gz, *.csv, *.json, *.json.gz.
/// Errors  std::runtime_error when the directory cannot be read or has none
[[nodiscard]] inline std::vector<std::string> recorded_paths(std::string const& directory)
{
    namespace fs = std::filesystem;
    std::error_code problem;
    if (fs::is_regular_file(directory, problem)) return {directory};
    std::vector<std::string> out;
    for (auto it = fs::recursive_directory_iterator(directory, problem);
         !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
        std::string const path = it->path().string();
        for (char const* const end : {".csv.gz", ".csv", ".json", ".json.gz"})
            if (it->is_regular_file() && path.ends_with(end)) out.push_back(path);
    }
    if (problem) throw std::runtime_error(directory + ": " + problem.message());
    if (out.empty())
        throw std::runtime_error(directory + ": no recorded spaces (*.csv.gz, or T4 *.json)");
    std::sort(out.begin(), out.end());
    return out;
}

/// Reads a recording; nothing from a JSON file of another form.
/// @param[out] notes  sentences about what was not as it should be
/// Errors  attune::error
[[nodiscard]] inline std::optional<recording> read_recording(std::string const& path,
                                                             std::vector<std::string>& notes)
{
    if (!attune::is_recording(path)) return {};
    attune::recorded const from(path);
    for (std::string const& note : from.notes())
        notes.push_back(from.name() + ": " + note);
    return recording{from.name(), from.space(), from.outcomes(), from.best(), from.failures()};
}

} // namespace bench
