// attune/tune/minimize_options.hpp - options and result of a search of a plain function.
// SPDX-License-Identifier: MIT
//
// tested by tune/minimize.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/searcher.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_options {
    std::uint64_t seed = 0;
    search_factory search = default_search();
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize"; ///< in messages
    /// Bounds on quantities that the objective measures beside its value. A configuration beyond a
    /// bound is never the best, and counts as a failure.
    std::vector<quantity_bound> bounds{};
    /// A file to which every call of the search is appended, for this search alone; empty: none.
    /// The next call continues the search from the file, after Ctrl-C, after kill -9, or with
    /// higher limits. Known outcomes are not evaluated again; interrupted evaluations come first.
    /// With one worker the sequence is the same as without an interruption. Evaluations and rules
    /// count from the first call, seconds from this one. Another name, seed, space, input or bound
    /// begins a new search. Give another objective another file or name. A file that cannot be
    /// written leads to a notice.
    std::string event_log{};
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// A minimize_result without the types of the space.
struct found_minimum {
    std::optional<point> best;
    double value = 0;
    std::vector<quantity> quantities{};
    std::string shortfall{};
    std::uint32_t evaluations = 0;
    failure_counts failures{};
    bool interrupted = false;
    /// "budget", "space", "stop rule" or "interrupted", as in a record; on slots also "no worker".
    std::string ended{};
};

} // namespace attune::inline ATTUNE_ABI::detail
