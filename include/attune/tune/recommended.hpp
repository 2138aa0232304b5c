// attune/tune/recommended.hpp - tunings that choose their techniques by the gains of earlier tunings.
// SPDX-License-Identifier: MIT
// tested by tune/dispatch/choice/kept_lessons.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/options.hpp>

#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// Returns a search that chooses its techniques by their gains in earlier tunings, of this kernel
/// and of others. The search also appends the gains of this tuning.
/// @param file  for tuning_search::techniques; made if it is missing
/// Example  options.search = attune::recommended_search("kernels.techniques");
[[nodiscard]] inline tuning_search recommended_search(std::string file)
{
    tuning_search out;
    out.strategy = search::recommended();
    out.techniques = std::move(file);
    return out;
}

} // namespace attune::inline ATTUNE_ABI
