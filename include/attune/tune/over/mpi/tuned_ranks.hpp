// attune/tune/over/mpi/tuned_ranks.hpp - a kernel that rank 0 of a communicator tunes, with all others as places.
// SPDX-License-Identifier: MIT
//
// Defined in the target attune::mpi, as ranks.hpp.
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/keyed_call.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/over/mpi/ranks.hpp>
#include <attune/tune/report.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct tuned_on_ranks {
    tuning_report report;
    std::vector<worker_use> workers; ///< rank 1 and so on
};

/// dispatch_table::tune() on rank 0; the other ranks try configurations for it, and serve at the
/// end what it found. Called by all ranks.
///
/// Before anything is compiled all ranks tell all others what their times depend on: see
/// refuse_unlike(). A rank whose default fails takes no part, with a notice. At the end, or by
/// Ctrl-C, rank 0 waits as minimize_on_ranks() does.
///
/// @param communicator  @param table  of this rank's own `tuned`  @param call  with its own arrays
/// Errors   attune::error, on all ranks: as minimize_on_ranks(), those of refuse_unlike(), and what
///          the tuning on rank 0 throws (its type on rank 0 alone)
[[nodiscard]] tuned_on_ranks tune_on_ranks(communicator_bits communicator, dispatch_table& table,
                                           keyed_call call);

} // namespace attune::inline ATTUNE_ABI::detail

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/over/mpi/tuned_ranks.ipp>
#endif
