// attune/tune/minimize_options.hpp - what can be chosen for a search of a plain function.
// SPDX-License-Identifier: MIT
//
// tested by tune/minimize.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/searcher.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_options {
    std::uint64_t seed = 0;
    search_factory search = default_search();
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize"; ///< in messages
    /// On quantities that the objective measures beside its value. What is beyond a bound is never
    /// the best, and counts as a failure.
    std::vector<quantity_bound> bounds{};
    /// A file to which every call of the search is appended, for this search alone; empty: none.
    /// Called again, the search goes on from it, however it ended: Ctrl-C, kill -9, or its limits
    /// where they are higher now. Nothing that was told is evaluated again; what was being
    /// evaluated is evaluated first. With one worker the sequence is as if there had been no
    /// interruption. Evaluations and rules count from the first call on, seconds in this one. With
    /// other values of name, seed, inputs or bounds, or another space, it begins anew: so give
    /// another objective another file or name. A file that cannot be written leads to a notice.
    std::string event_log{};
};

} // namespace attune::inline ATTUNE_ABI
