// attune/tune/over/mpi/detail/ranks_evaluator.hpp - the ranks as slots: messages between rank 0 and the other ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>
#include <attune/tune/over/mpi/detail/rank_job.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/slots.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
