// attune/tune/tune_over.hpp - tunes a kernel on the ranks of an MPI job; each rank counts as one machine.
// SPDX-License-Identifier: MIT
//
// Needs the target attune::mpi. Only users include this header; it includes no MPI header.
//
// tested by tune/over/mpi/tuned_ranks.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize_over.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/tuned.hpp>

#include <type_traits>
#include <utility>
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

namespace attune::inline ATTUNE_ABI {

struct tune_over_report {
    /// The report of rank 0, also with the reason if the default serves: see tuned.tune(). On other
    /// ranks it has no noise, roofline and baseline, but has notices on the rank's own data.
    tuning_report report{};
    std::vector<worker_use>
        workers{}; ///< the work of each rank from 1 on; empty: there is one rank
};

/// Runs tuned.tune(arguments...) on rank 0 and measures on the other ranks. All ranks must call it,
/// each with its own `tuned` of one declaration and its own arrays; it begins when the last rank
/// has called it. Afterwards all ranks serve the result, and rank 0 has stored it. Rank 0 takes
/// limits, searcher, seed, event log and sink from its own options. Rank 0 searches, measures its
/// own default, tries the leaders itself, and makes the final.
///
/// Each other rank compiles its configurations and runs them where a crash is harmless. The rank
/// compares the result with its own default's (or the reference's) and times the variant, like a
/// tuning on one machine. A rank gets its next configuration without waiting for other ranks. No
/// code travels between ranks: the compiler's cache may lie on a shared file system. Ranks on
/// common processors measure in turns, so bind ranks to separate cores (mpirun --bind-to core). If
/// the kernel runs on a device, give each rank its own device. Proposals depend on the order in
/// which outcomes arrive.
///
/// The ranks must be on machines with one device name; otherwise the call is an error on all ranks,
/// with a table. If the default's times on a rank and on rank 0 differ by more than a factor of
/// 1.25, a notice has the times. A rank does not take part, with a notice, if the default fails
/// there or if the factor is above 2. Without any other rank, rank 0 continues alone. A rank that
/// throws costs one evaluation.
///
/// A rank is overdue when an evaluation, or its arrival, takes longer than 10 s, and longer than
/// ten times the longest ended evaluation. The search ends without overdue ranks if no other work
/// is left. While all other ranks are overdue, rank 0 tries configurations itself.
///
/// Evaluations that are pending when the limits end the search count as long as the final still
/// fits. Rank 0 then continues without a rank that still evaluates, with a notice. Such a rank
/// returns when its evaluation ends; MPI_Finalize, or the next call on the communicator, waits for
/// it. Before the final rank 0 compiles and runs up to eight leaders. The first always runs, others
/// while the limits leave time for them and the final. Give all ranks calls that are not empty.
///
/// Ctrl-C at one process (kill -INT) ends the search. Pending evaluations do not count, and a later
/// tuning continues from the store or the event log. After Ctrl-C at rank 0, no other leader begins
/// and there is no final. A leader that has run there serves if its interval lies below the
/// default's. Otherwise the default serves, with a notice, because other ranks' leaders were not
/// tried there. After Ctrl-C at another rank, leaders and final follow at once.
///
/// @param communicator  an MPI_Comm; its other messages are not touched
/// @param args          the arguments of a call; the kernel is not called, and the arguments do not
///                      change
/// Errors   attune::error on all ranks: errors of tuned.tune(); another kernel, space, inputs,
///          compiler or way of measuring on some rank; unlike machines; MPI not initialised;
///          MPI_COMM_NULL or a communicator of two groups
/// Example  auto const r = attune::tune_over(MPI_COMM_WORLD, sgemm, a, b, c, n);
template <class Communicator, class Result, class... Args, class Compiler, class Store>
tune_over_report tune_over(Communicator communicator, tuned<Result(Args...), Compiler, Store>& of,
                           std::type_identity_t<Args>... args)
{
    constexpr bool has_communicator = detail::may_be_communicator<Communicator>;
    static_assert(has_communicator,
                  "attune: tune_over(communicator, tuned, arguments...): the communicator must be "
                  "an MPI_Comm");
    tune_over_report out;
    if constexpr (has_communicator) {
        tuning_share const one = share(of, args...);
        detail::tuned_on_ranks found =
            detail::tune_on_ranks(detail::bits_of(communicator), one.table(), one.call());
        out.report = std::move(found.report);
        out.workers = std::move(found.workers);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/tune_over.ipp>
#endif
