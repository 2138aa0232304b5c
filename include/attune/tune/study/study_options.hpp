// attune/tune/study/study_options.hpp - a shared study, and what can be chosen for taking part in it.
// SPDX-License-Identifier: MIT
//
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/minimize_options.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// A search that any number of processes, on any machines that share a file system, take part in:
/// the file FOLDER/NAME.study. It is made by the first of them; it goes on when somebody joins it
/// again, and is over with the file.
///
/// Nothing listens on a port. Who may write the file may tell outcomes: a study trusts the
/// permissions of its folder, and says so where another user may write there. It has values of
/// parameters and outcomes, no code: each process runs its own objective.
///
/// What processes tell is compared as it is. Where the objective is a time, machines of one kind
/// are in one study: put the kind into its name.
struct study {
    std::string folder;
    std::string name; ///< letters, digits and "._-"
};

struct study_options {
    /// Evaluations are those of the whole study, also those of earlier joins; seconds are those of
    /// this process. The other rules are judged by all outcomes of the study.
    search_limits limits = search_limits::usual();
    /// Seed, searcher, inputs, bounds, progress and name, as for minimize(). Name, inputs and
    /// bounds must be the same in all processes, as the space. event_log has no effect: the study's
    /// own file is the log.
    minimize_options minimize{};
    /// Seconds of one evaluation, more than 0. One that takes longer is a failure (timeout). This
    /// process evaluates nothing until the objective returns, and what it returns is dropped; after
    /// as long again it leaves the study ("no worker").
    double most_seconds = std::numeric_limits<double>::infinity();
    /// A process that was not heard of for so many seconds is lost, and others evaluate what it was
    /// at. A living process says four times in this time that it is at work. More than 0.
    double lease_s = 30;
    /// A configuration that so many processes were lost with is a failure (crash). At least 1.
    std::uint32_t most_losses = 2;
};

} // namespace attune::inline ATTUNE_ABI
