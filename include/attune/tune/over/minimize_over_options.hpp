// attune/tune/over/minimize_over_options.hpp - what can be chosen for a search on many ranks.
// SPDX-License-Identifier: MIT
//
// tested by tune/over/mpi/ranks.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/minimize_options.hpp>

#include <limits>

namespace attune::inline ATTUNE_ABI {

struct minimize_over_options {
    search_limits limits = search_limits::usual();
    /// Seed, searcher, inputs, bounds, progress, name and event log, as for minimize(); what rank 0
    /// has counts.
    minimize_options minimize{};
    /// Seconds of one evaluation, more than 0. One that takes longer is a failure (timeout); the
    /// search goes on without its rank until it answers, and what it answers is dropped. When all
    /// ranks that evaluate have been beyond it for as long again, the search ends ("no worker").
    double most_seconds = std::numeric_limits<double>::infinity();
    /// Rank 0 evaluates too, on a thread of its own, and returns only when its own objective does,
    /// after all others have the result. MPI must have been initialised for
    /// MPI_THREAD_FUNNELED or more, and if the objective calls MPI, for MPI_THREAD_MULTIPLE.
    bool first_rank_evaluates = false;
};

} // namespace attune::inline ATTUNE_ABI
