// attune/measure/clock/processor_use.hpp - how many of this program's processors other programs held.
// SPDX-License-Identifier: MIT
// Source   proc_stat(5): the times of each processor, in ticks
// Bench    bench/measure/repeat.cpp --disturbed
#pragma once

#include <attune/core/version.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Two readings tell what lay between them.
struct processor_reading {
    std::vector<int> processors{}; ///< that this program may run on; empty: nothing is known
    double wall_s = 0;
    double busy_s = 0; ///< of these processors since the machine started, whichever program it was
    double own_s = 0;  ///< of this process, all its threads, and of its children that have ended
};

/// The times of `processors` now. Empty where the system does not tell them, or where SIGCHLD is
/// ignored, so that the time of ended children is lost.
[[nodiscard]] processor_reading read_processors(std::vector<int> const& processors);

/// How many of the processors other programs held on average, from 0 to all of them; a fraction
/// where they held one for a part of the time. Nothing where either reading has nothing or less
/// than 0.2 s (20 ticks of the system) lies between them.
[[nodiscard]] std::optional<double> held_by_others(processor_reading const& first,
                                                   processor_reading const& later);

/// Ticks that were neither idle nor waiting for a disk, of these processors, in a text as
/// /proc/stat has it. Nothing unless each of them has its line.
[[nodiscard]] std::optional<double> busy_ticks(std::string_view stat,
                                               std::span<int const> processors);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/processor_use.ipp>
#endif
