// attune/tune/over/mpi/detail/rank_job.hpp - texts between ranks, the beginning and end of their work, and the ranks as slots.
// SPDX-License-Identifier: MIT
#pragma once

// Only the C interface, also if the program does not define these.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif

#include <attune/core/error.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize_over.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/slots.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
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

[[nodiscard]] inline error no_part(int rank, std::string const& host, std::string const& problem)
{
    return {
        "a rank cannot take part in the search", rank_name(rank, host) + ": " + problem,
        "declare the same space, with the same inputs and figures of the machine, on all ranks"};
}

/// The other ranks as slots of rank 0, and a thread of rank 0 if it evaluates.
class ranks_evaluator final : public slot_evaluator {
public:
    enum class without : bool {
        none, ///< a rank that cannot take part ends the search
        some, ///< the search continues without such a rank
    };
    /// @param space  space_of_rank() of all ranks
    ranks_evaluator(MPI_Comm comm, std::string space, without which = without::none)
        : comm_(comm)
        , space_(std::move(space))
        , without_(which)
        , others_(static_cast<std::size_t>(size_of(comm) - 1))
    {
    }

    void evaluate_here(std::function<evaluation(point const&)> objective)
    {
        here_ = std::make_unique<own_slot>(std::move(objective));
        host_ = own_host();
    }

    [[nodiscard]] std::size_t slots() const override { return others_.size() + first_other(); }
    [[nodiscard]] std::string name(std::size_t slot) const override
    {
        return slot < first_other() ? rank_name(0, host_)
                                    : rank_name(rank_of(slot), others_[slot - first_other()].host);
    }
    void submit(std::size_t slot, point const& at) override
    {
        if (slot < first_other())
            here_->submit(at);
        else
            send(others_[slot - first_other()], rank_of(slot), text_of_order({.at = at}));
    }
    void submit_variant(std::size_t slot, point const& at, double stop_above_s) override
    {
        send(others_[slot - first_other()], rank_of(slot),
             text_of_order({.at = at, .stop_above_s = stop_above_s}));
    }
    [[nodiscard]] std::vector<slot_event> wait(double seconds) override
    {
        std::vector<slot_event> out;
        for (rests_between_looks looks;; looks.rest()) {
            if (here_) look_here(out);
            take_letters(comm_, MPI_ANY_SOURCE,
                         [&](rank_letter const& letter) { out.push_back(event_of(letter)); });
            if (!out.empty() || looks.waited_s() >= seconds) return out;
        }
    }

    /// Sends all ranks the end, and marks in it those that are left. Also waits for the evaluation
    /// on rank 0's own thread, for which no other rank waits.
    void close(rank_order& end)
    {
        auto const is_awaited = [](other const& one) { return one.is_awaited; };
        for (rests_between_looks looks;
             std::ranges::any_of(others_, is_awaited) && looks.waited_s() < 1; looks.rest())
            take_letters(comm_, MPI_ANY_SOURCE, [&](rank_letter const& letter) {
                other_of(letter).is_awaited = false;
                if (wants_stop(letter)) end.end.found.interrupted = true;
            });
        if (end.end.found.interrupted) end.end.found.ended = "interrupted";
        end.space = space_;
        end.some_left = std::ranges::any_of(others_, is_awaited);
        std::vector<worker_use>& uses = end.end.workers;
        for (std::size_t i = 0; i < others_.size() && i < uses.size(); ++i)
            uses[uses.size() - others_.size() + i].is_left = others_[i].is_awaited;
        for (worker_use& one : uses)
            one.first_fault = shortened(one.first_fault, longest_fault);
        std::string const text = text_of_order(end);
        open_messages open{.comm = comm_};
        std::vector<open_message> ends;
        for (std::size_t i = 0; i < others_.size(); ++i)
            ends.push_back(message_to(static_cast<int>(i) + 1, text));
        for (std::size_t i = 0; i < others_.size(); ++i) {
            if (!others_[i].is_awaited) { // the rank waits for an order
                MPI_Wait(&others_[i].sent.request, MPI_STATUS_IGNORE);
                MPI_Wait(&ends[i].request, MPI_STATUS_IGNORE);
                continue;
            }
            open.keep(std::move(others_[i].sent)); // the rank may not have received it
            open.keep(std::move(ends[i]));
            open.keep(place_for_report(static_cast<int>(i) + 1));
        }
        end_communicator(std::move(open), end.some_left);
        here_.reset();
    }

private:
    struct other {
        bool is_awaited = true; ///< its hello, or the outcome of its order, has not arrived
        bool has_come = false;  ///< its hello has arrived
        std::string host{};
        open_message sent{}; ///< its last order
    };
    static constexpr std::size_t longest_fault = 200; ///< code points of a fault in the result

    [[nodiscard]] static int size_of(MPI_Comm comm)
    {
        int out = 0;
        MPI_Comm_size(comm, &out);
        return out;
    }
    [[nodiscard]] std::size_t first_other() const { return here_ ? 1 : 0; }
    [[nodiscard]] int rank_of(std::size_t slot) const
    {
        return static_cast<int>(slot - first_other()) + 1;
    }
    [[nodiscard]] other& other_of(rank_letter const& letter)
    {
        return others_[static_cast<std::size_t>(letter.from) - 1];
    }

    void send(other& to, int rank, std::string const& text)
    {
        MPI_Wait(&to.sent.request, MPI_STATUS_IGNORE); // the order before was answered
        to.sent = message_to(rank, text);
        to.is_awaited = true;
    }
    [[nodiscard]] open_message message_to(int rank, std::string const& text)
    {
        open_message out{.bytes = {text.begin(), text.end()}};
        MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, rank,
                  rank_message_tag, comm_, &out.request);
        return out;
    }
    /// Room for the one report that a rank may have under way, which is never read.
    [[nodiscard]] open_message place_for_report(int rank)
    {
        open_message out{.bytes = std::vector<char>(longest_report)};
        MPI_Irecv(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, rank,
                  rank_message_tag, comm_, &out.request);
        return out;
    }

    void look_here(std::vector<slot_event>& out)
    {
        if (!std::exchange(has_joined_, true)) out.push_back({.slot = 0});
        if (std::optional<guarded_evaluation> seen = here_->take())
            out.push_back({.slot = 0, .seen = std::move(seen->seen), .is_fault = seen->is_fault});
    }

    /// Returns true if the message says that Ctrl-C was pressed at the rank. Other parts have no
    /// effect.
    [[nodiscard]] static bool wants_stop(rank_letter const& letter)
    {
        try {
            return read_report(letter.text).wants_stop;
        } catch (std::exception const&) {
            return false;
        }
    }

    /// Errors   attune::error: a hello from a rank that cannot take part
    [[nodiscard]] slot_event event_of(rank_letter const& letter)
    {
        other& from = other_of(letter);
        from.is_awaited = false;
        bool const is_hello = !std::exchange(from.has_come, true);
        slot_event out{.slot = static_cast<std::size_t>(letter.from) - 1 + first_other()};
        rank_report report;
        try {
            report = read_report(letter.text);
        } catch (std::exception const&) {
            if (is_hello) report.problem = "its message cannot be read";
            report.seen = guarded_evaluation{
                failure{failure_stage::crash, "its outcome cannot be read"}, true};
        }
        if (is_hello) {
            from.host = report.host;
            if (report.problem.empty()) report.problem = difference_of_spaces(report.space, space_);
            out.wants_stop = report.wants_stop;
            out.lost = std::move(report.problem);
            if (!out.lost.empty() && without_ == without::none)
                throw no_part(letter.from, from.host, out.lost);
            if (report.seen) out.seen = std::move(report.seen->seen);
            return out;
        }
        out.wants_stop = report.wants_stop;
        if (report.seen) {
            out.seen = std::move(report.seen->seen);
            out.is_fault = report.seen->is_fault;
        }
        out.variant = std::move(report.variant);
        return out;
    }

    MPI_Comm comm_;
    std::string space_;
    without without_;
    std::vector<other> others_; ///< of rank 1 and so on
    std::unique_ptr<own_slot> here_{};
    std::string host_{}; ///< of rank 0, if it evaluates
    bool has_joined_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
