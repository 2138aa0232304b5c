// attune/tune/loop/found_minimum.hpp - what a search of a plain function found.
// SPDX-License-Identifier: MIT
//
// tested by tune/minimize.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
    /// "budget", "space", "stop rule" or "interrupted", as a record has it; on slots "no worker",
    /// too.
    std::string ended{};
};

/// Fills in what the loop counted, and tells the sink what was found.
/// @param with  how the best was evaluated, for people: " with budget 81"; may be empty
void conclude(found_minimum& out, run_state const& board, description const& space,
              search_limits const& limits, bool interrupted, std::string const& with = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/found_minimum.ipp>
#endif
