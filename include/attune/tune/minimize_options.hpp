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
};

} // namespace attune::inline ATTUNE_ABI
