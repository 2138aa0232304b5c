// attune/tune/over/mpi/detail/rank_job.hpp - texts between ranks, and the beginning and end of all work on a communicator.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/mpi/ranks.hpp>

#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <optional>
#include <string>

// Only the C interface, also if the program does not define these.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif

#include <attune/core/posix/steady_seconds.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr int rank_message_tag = 23;

/// Sleeps between two looks, so that a waiting rank takes no core from an evaluating one. A sleep
/// is 1/64 of the waiting time so far, from 20 us to 2 ms.
class rests_between_looks {
public:
    [[nodiscard]] double waited_s() const { return steady_seconds() - begun_s_; }
    void rest() const
    {
        double const s = std::clamp(waited_s() / 64, 20e-6, 2e-3);
        std::this_thread::sleep_for(std::chrono::duration<double>(s));
    }

private:
    double begun_s_ = steady_seconds();
};

/// A message that has arrived; the functions return empty if there is none.
struct rank_letter {
    int from = 0;
    std::string text;
};
[[nodiscard]] inline std::optional<rank_letter> next_letter(MPI_Comm comm, int from)
{
    int has = 0;
    MPI_Message message{};
    MPI_Status status{};
    MPI_Improbe(from, rank_message_tag, comm, &has, &message, &status);
    if (has == 0) return {};
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    rank_letter out{status.MPI_SOURCE, std::string(static_cast<std::size_t>(bytes), '\0')};
    MPI_Mrecv(out.text.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return out;
}

/// Calls `take` for each message that has arrived. Open MPI's MPI_Improbe fetches messages only
/// after it has looked, so that one empty look proves nothing.
template <class Take>
void take_letters(MPI_Comm comm, int from, Take const& take)
{
    for (int empty_looks = 0; empty_looks < 4; ++empty_looks)
        while (std::optional<rank_letter> const letter = next_letter(comm, from)) {
            take(*letter);
            empty_looks = 0;
        }
}

[[nodiscard]] inline std::string own_host()
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return {name, static_cast<std::size_t>(length)};
}

[[nodiscard]] inline std::string rank_name(int rank, std::string const& host)
{
    return "rank " + std::to_string(rank) + (host.empty() ? "" : " on " + host);
}

/// A message under way; its bytes must not move until it is complete.
struct open_message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> bytes{};
};

struct open_messages {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<open_message> all{};

    void keep(open_message one) { all.push_back(std::move(one)); }
    void finish()
    {
        for (open_message& one : all)
            MPI_Wait(&one.request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
};

inline int finish_at_finalize(MPI_Comm, int, void* kept, void*)
{
    std::unique_ptr<open_messages> const all(static_cast<open_messages*>(kept));
    all->finish();
    return MPI_SUCCESS;
}

/// Frees the communicator, which all its ranks do together. If some ranks are left, this happens in
/// MPI_Finalize, whose first act is to delete the attributes of MPI_COMM_SELF (MPI-3.1 Sec. 8.7.1).
inline void end_communicator(open_messages all, bool some_left)
{
    if (!some_left) return all.finish();
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish_at_finalize, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, new open_messages(std::move(all)));
    MPI_Comm_free_keyval(&key);
}

/// Returns the exception being handled, on one line.
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

/// Ends the job on an exception that no message can report: the other ranks would wait without end.
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

/// Returns a communicator for attune's messages alone. Waits until all ranks have called it.
/// @param call  name of the call, as text for the user
/// @return  MPI_COMM_NULL if there is one rank
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
    // On the new communicator, messages of the program cannot be mistaken for messages of attune.
    // Hints and error handler of the program do not apply to it.
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(given, MPI_INFO_NULL, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    return comm;
}

/// Runs a rank until rank 0 sends the end. The rank sends its report, waits for an order, and
/// repeats both.
/// @param report    the rank's hello  @param evaluate  called with an order; fills in report.seen
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
