// attune/tune/tune_over.hpp - tunes a kernel on the ranks of an MPI job, each of which is as one machine.
// SPDX-License-Identifier: MIT
//
// The target attune::mpi. Nothing else includes this header; it includes nothing of MPI.
//
// tested by tune/over/mpi/tuned_ranks.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/over/mpi/ranks.hpp>
#include <attune/tune/over/mpi/tuned_ranks.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/tuned.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// How tune_over() went.
struct tune_over_report {
    /// That of rank 0, also of why it serves the default: see tuned.tune(). Elsewhere without
    /// noise, roofline and baseline, and with what there is to say of the rank's own data.
    tuning_report report{};
    std::vector<worker_use> workers{}; ///< what each rank from 1 on did; empty: there is one rank
};

/// tuned.tune(arguments...) on rank 0, with the other ranks as its places to measure. All ranks
/// must call it, each with its own `tuned` of one declaration and its own arrays; it begins when
/// the last one has called it. Afterwards all ranks serve what was found, and rank 0 has put it
/// into its store. Rank 0 takes limits, searcher, seed, event log and sink from its own options; it
/// searches, measures its own default and, after trying the leaders itself, the final.
///
/// Each other rank compiles what it is given, runs it where a crash costs nothing, compares the
/// result with that of its own default (or of the reference), and times it, as a tuning on one
/// machine does; whoever is ready gets the next configuration, and nobody waits for others. No code
/// travels between ranks: the compiler's cache may lie on a file system that they share. Ranks on
/// processors in common measure in turns, so bind ranks to cores of their own (mpirun --bind-to
/// core), and give each rank a device of its own where the kernel runs on one. Proposals depend on
/// the order in which outcomes arrive.
///
/// The ranks must be on machines of one device name: others are refused, with a table, on all
/// ranks. Where the default takes more than a quarter longer, or less, on a rank than on rank 0, a
/// notice has the times; where it takes more than twice as long, or less than half, the rank takes
/// no part, with a notice. A rank on which the default fails takes no part, with a notice; without
/// any other rank, rank 0 goes on alone. A rank that throws costs one evaluation.
///
/// A rank is overdue when an evaluation, or its coming, takes longer than 10 s and than ten times
/// the longest evaluation that has ended. The search ends without overdue ranks when nothing else
/// is to do, and while no rank is there that is not overdue, rank 0 tries configurations itself.
///
/// What is pending when the limits end the search counts as long as the final still fits. A rank
/// that is still at work is then left, with a notice: it returns when its evaluation ends, and
/// MPI_Finalize, or the next call on the communicator, waits for it. Before the final rank 0
/// compiles and runs the leaders, eight at most: the first in any case, others while the limits
/// leave time for them and the final. Give all ranks calls that are not empty.
///
/// Ctrl-C at one process (kill -INT) ends the search: what is pending does not count, and a later
/// tuning goes on from the store or the event log. Where the process is that of rank 0, no other
/// leader is begun and there is no final: one that has run there serves if its interval lies below
/// the default's, else the default, with a notice, because what was tried elsewhere was not tried
/// there. Where it is another process, leaders and final follow at once.
///
/// @param communicator  an MPI_Comm; its other messages are not touched
/// @param args          as of a call; the kernel is not called, and they are as before afterwards
/// Errors   attune::error on all ranks: those of tuned.tune(); another kernel, space, inputs,
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
