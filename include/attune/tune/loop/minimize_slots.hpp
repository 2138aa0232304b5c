// attune/tune/loop/minimize_slots.hpp - the loop of a search whose configurations are evaluated in slots.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/found_minimum.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>
#include <attune/tune/minimize_options.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What one worker did in a search of several.
struct worker_use {
    std::string name;              ///< "rank 3 on node7"
    std::uint32_t evaluations = 0; ///< that count, those included that took too long
    failure_counts failures{};     ///< of these
    /// Where an evaluation failed in a way that no objective means (it threw, returned NaN, or took
    /// too long): the first such reason. Else empty.
    std::string first_fault{};
    bool is_left = false; ///< the search ended without waiting for it
};

namespace detail {

struct minimum_on_slots {
    found_minimum found;
    std::vector<worker_use> workers; ///< by slot
};

/// Errors   attune::error: it is 0, negative or NaN
void refuse_most_seconds(double most_seconds);

/// Looks for the configuration with the lowest value. With one slot the calls of the search are
/// those of a loop that asks, evaluates and tells.
///
/// With options.event_log what an earlier call was told counts, and what it was at comes first.
///
/// Evaluations that are pending count against limits.evaluations when the next one is asked. When
/// the search is over, by whatever rule or by Ctrl-C, pending ones are waited for and told. It is
/// over, too ("no worker", with a notice), when every slot that has joined has been overdue for a
/// further most_seconds.
///
/// @param most_seconds  An evaluation that takes longer, by on.now(), is a failure (timeout), and is
///                      not waited for. Its slot is free again when its outcome arrives, and that
///                      outcome is dropped. What arrives before the slot is given up counts.
/// Errors   attune::error: most_seconds is 0, negative or NaN; an evaluation that worked without a
///          quantity that has a bound; what `on` throws
[[nodiscard]] minimum_on_slots minimize_on_slots(chain_of_trees const& space, slot_evaluator& on,
                                                 search_limits const& limits,
                                                 minimize_options const& options,
                                                 double most_seconds);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/minimize_slots.ipp>
#endif
