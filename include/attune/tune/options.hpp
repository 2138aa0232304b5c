// attune/tune/options.hpp - the few knobs of a tuning; every default works.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       what the user wants different from the defaults
// Out      plain data for the loop
// Source   own
// Depends  std only
// Tests    tests/tune/options.cpp
#pragma once

#include <attune/search/optimizer.hpp>
#include <attune/tune/budget.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>

namespace attune {

struct tuning_options {
    budget limits{};
    std::uint64_t seed = 0; ///< the same seed and the same outcomes give the same run
    progress_sink progress = terminal_progress();
    search_factory search = default_search();
    bool retune = false;     ///< tune even when the store knows a configuration
    double precision = 0.01; ///< relative half-width at which a measurement is good enough
    double patience = 10.0;  ///< a first run longer than this times the quickest one so far fails
    double default_limit_s = 60.0; ///< the default configuration's first run may take this long
};

} // namespace attune
