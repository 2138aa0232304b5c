// attune/tune/over/mpi/detail/rank_job.hpp - what all work on the ranks of a communicator begins and ends with.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/over/mpi/detail/rank_letters.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/mpi/ranks.hpp>

#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The exception being handled, on one line.
/// @pre  called in a `catch` block
[[nodiscard]] inline std::string problem_here()
{
    try {
        throw;
    } catch (error const& thrown) {
        return sentence_of(thrown);
    } catch (...) {
        return text_of_exception();
    }
}

/// What no other rank can hear of ends the job: the others would wait for ever.
template <class Work>
void or_abort(MPI_Comm comm, Work const& work)
{
    try {
        work();
    } catch (...) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        std::fprintf(stderr, "attune: rank %d ends the job: %s\n", rank, problem_here().c_str());
        MPI_Abort(comm, 1);
    }
}

/// A communicator for our messages alone. Waits until all ranks have called it.
/// @param call  for people
/// @return  MPI_COMM_NULL: there is one rank
/// Errors   attune::error: MPI is not initialised, MPI_COMM_NULL, a communicator of two groups
[[nodiscard]] inline MPI_Comm own_communicator(communicator_bits communicator, char const* call)
{
    int is_ready = 0;
    int is_over = 0;
    MPI_Initialized(&is_ready);
    MPI_Finalized(&is_over);
    if (is_ready == 0 || is_over != 0)
        throw error(is_over != 0 ? "MPI is finalized" : "MPI is not initialised", call,
                    "call it between MPI_Init_thread() and MPI_Finalize()");
    static_assert(may_be_communicator<MPI_Comm>);
    MPI_Comm given = MPI_COMM_NULL;
    std::memcpy(&given, &communicator.bits, sizeof given);
    int is_inter = 0;
    if (given != MPI_COMM_NULL) MPI_Comm_test_inter(given, &is_inter);
    if (given == MPI_COMM_NULL || is_inter != 0)
        throw error(is_inter != 0 ? "the communicator joins two groups"
                                  : "the communicator is MPI_COMM_NULL",
                    call, "call it with a communicator of one group, on its ranks alone");
    int size = 0;
    MPI_Comm_size(given, &size);
    if (size == 1) return MPI_COMM_NULL;
    // Messages of the program's own cannot be taken for ours, nor do its hints and its handler of
    // errors hold for ours.
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(given, MPI_INFO_NULL, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    return comm;
}

/// What a rank does until rank 0 sends the end: it sends its report, and waits for an order.
/// @param report    its hello  @param evaluate  called with an order; fills in report.seen
/// @return  the end
template <class Evaluate>
[[nodiscard]] rank_order obey_orders(MPI_Comm comm, rank_report& report,
                                     interrupt_guard const& interrupt, Evaluate const& evaluate)
{
    rank_order order;
    or_abort(comm, [&] {
        for (;;) {
            report.wants_stop = interrupt.requested();
            std::string const text = text_of_report(report);
            MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, 0, rank_message_tag,
                     comm);
            std::optional<rank_letter> letter;
            for (rests_between_looks looks; !(letter = next_letter(comm, 0)); looks.rest()) {
            }
            order = read_order(letter->text);
            if (!order.at) break;
            report.seen.reset();
            report.variant.clear();
            if (!interrupt.requested()) evaluate(order);
        }
        end_communicator({.comm = comm}, order.some_left);
    });
    return order;
}

} // namespace attune::inline ATTUNE_ABI::detail
