// attune/tune/over/mpi/tuned_ranks.hpp - a kernel that rank 0 of a communicator tunes, and that the other ranks measure.
// SPDX-License-Identifier: MIT
//
// Defined in the target attune::mpi, like ranks.hpp.
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/over/mpi/ranks.hpp>
#include <attune/tune/report.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct tuned_on_ranks {
    tuning_report report;
    std::vector<worker_use> workers; ///< rank 1 and so on
};

/// Runs dispatch_table::tune() on rank 0. The other ranks try configurations for it, and serve its
/// result at the end. All ranks call it.
///
/// Before anything is compiled all ranks send each other the facts on which their times depend: see
/// refuse_unlike(). A rank whose default fails does not take part, with a notice. At the end, or by
/// Ctrl-C, rank 0 waits like minimize_on_ranks().
///
/// @param communicator  @param table  of this rank's own `tuned`  @param call  with its own arrays
/// Errors   attune::error, on all ranks: errors of minimize_on_ranks() and refuse_unlike(), and
///          exceptions of the tuning on rank 0 (with their type only there)
[[nodiscard]] tuned_on_ranks tune_on_ranks(communicator_bits communicator, dispatch_table& table,
                                           keyed_call call);

} // namespace attune::inline ATTUNE_ABI::detail

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/over/mpi/tuned_ranks.ipp>
#endif
