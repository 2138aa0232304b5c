// tests/support/ranks_program.cpp - what tests/tune/over/mpi/ranks.cpp starts on several ranks.
// SPDX-License-Identifier: MIT
//
// ranks_program WHAT [LOG [KILLED_AT]]: each rank prints a line for each evaluation and one for the
// result. LOG is an event log; KILLED_AT ends rank 0 by SIGKILL after so many evaluations.
#include <attune/core/error.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/tune/minimize_over.hpp>

#include <cmath>
#include <csignal>
#include <exception>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <unistd.h>

#include "rank_program.hpp"

using support::own_rank;
using support::say;
using support::sleep_s;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 10));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 10));
constexpr auto plane = attune::space(x, y).where(x + y >= 5);
constexpr auto other_plane = attune::space(x, y).where(x + y >= 6);

constexpr auto n = attune::input<"N", int>();
constexpr auto sized_plane = attune::space(x, y).where(x + y >= n);

/// Longer than a search of 40 evaluations takes on a machine at work.
constexpr double beyond_search_s = 8;

pid_t pid_of_rank_1 = 0;
std::string log_path;
unsigned killed_at = 0; ///< 0: never

// A function is no part of what ranks compare.
constexpr auto odd_plane = attune::space(x, y).where(
    attune::predicate(x, [](int x_value) { return own_rank() != 2 || x_value < 2; }));
constexpr auto late_other_plane =
    attune::space(x, y).where(x + y >= 6, attune::predicate(x, [](int x_value) {
                                  if (x_value == 0) sleep_s(beyond_search_s);
                                  return true;
                              }));

/// Lowest at (7, 3), where it is 2.
template <class Config>
double bowl(Config const& c)
{
    say("evaluated " + std::to_string(own_rank()) + " " + std::to_string(c[x]) + "," +
        std::to_string(c[y]));
    sleep_s(0.01);
    double const dx = c[x] - 7;
    double const dy = c[y] - 3;
    return 2 + dx * dx + 3 * dy * dy;
}

template <class Config>
double objective(std::string const& what, Config const& c)
{
    int const rank = own_rank();
    if (what == "faults" && rank == 2) {
        (void)bowl(c);
        throw std::runtime_error("no licence");
    }
    if (what == "faults" && rank == 3) return bowl(c) * std::nan("");
    if ((what == "slow" || what == "slow_sink") && rank == 1) sleep_s(beyond_search_s);
    if (what == "slow_own" && rank == 0) {
        sleep_s(beyond_search_s);
        say("through 0");
    }
    if (what == "interrupted_worker" && rank == 1) std::raise(SIGINT);
    return bowl(c);
}

template <class Pack>
void search(std::string const& what, Pack const& space, MPI_Comm comm)
{
    attune::minimize_over_options options;
    options.limits = {.evaluations = what == "all" || what == "own" ? 1000U : 40U};
    options.minimize.seed = 7;
    options.minimize.event_log = log_path;
    options.minimize.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::notice) say("notice " + p.text);
        if (what == "interrupted" && p.evaluation == 10) std::raise(SIGINT);
        if (killed_at > 0 && p.evaluation == killed_at) std::raise(SIGKILL);
        bool const is_tenth = p.event == attune::progress_event::evaluated && p.evaluation == 10;
        if (what == "interrupted_waiting" && is_tenth) {
            sleep_s(0.2); // the one that evaluates has sent its outcome, and waits
            ::kill(pid_of_rank_1, SIGINT);
            sleep_s(0.2);
        }
        if (what == "slow_sink" && p.evaluation == 3)
            throw std::runtime_error(std::string(1000000, 'f')); // longer than is sent at once
        if (what == "sink") throw std::runtime_error("the sink is full");
    };
    options.first_rank_evaluates = what == "own" || what == "slow_own";
    if (what == "slow" || what == "slow_own") options.most_seconds = 0.5;
    if (what == "no_seconds") options.most_seconds = 0;
    if (what == "unlike_input") options.minimize.inputs = {n(own_rank() == 2 ? 6 : 5)};
    std::string const who = std::to_string(own_rank());
    try {
        auto const r = attune::minimize_over(
            comm, space, [&](auto const& c) { return objective(what, c); }, options);
        std::string line = "result " + who + " evaluations=" + std::to_string(r.evaluations) +
                           " failed=" + std::to_string(attune::total(r.failures)) +
                           " ended=" + r.ended + " interrupted=" + (r.interrupted ? "1" : "0");
        if (r.best)
            line += " best=" + std::to_string((*r.best)[x]) + "," + std::to_string((*r.best)[y]) +
                    " value=" + std::to_string(r.value);
        line += " workers=";
        for (attune::worker_use const& one : r.workers)
            line += std::to_string(one.evaluations) + (one.is_left ? "left" : "") +
                    (one.first_fault.empty() ? "" : "!") + ",";
        say(line);
    } catch (std::exception const& thrown) {
        std::string text = thrown.what();
        for (char& c : text)
            if (c == '\n') c = ' ';
        say("error " + who + " " + text.substr(0, 1000));
    }
    if (what == "slow_sink" && own_rank() == 0) { // it calls nothing of MPI
        sleep_s(3);
        say("through 0");
    }
}

/// Two groups of one rank each, and none.
void search_on_no_group()
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - own_rank(), 5, &other);
    search("groups", plane, other);
    MPI_Comm_free(&other);
    search("null", plane, MPI_COMM_NULL);
}

/// Messages of the program's own, on the same communicator, are under way meanwhile.
void search_beside_messages()
{
    int const rank = own_rank();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int const sent = 100 + rank;
    MPI_Request sending = MPI_REQUEST_NULL;
    if (rank > 0) MPI_Isend(&sent, 1, MPI_INT, 0, 23, MPI_COMM_WORLD, &sending);
    search("beside", plane, MPI_COMM_WORLD);
    search("beside", plane, MPI_COMM_WORLD);
    int sum = 0;
    for (int i = 1; rank == 0 && i < size; ++i) {
        int got = 0;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
    }
    if (rank > 0) MPI_Wait(&sending, MPI_STATUS_IGNORE);
    if (rank == 0) say("sum " + std::to_string(sum));
}

} // namespace

int main(int count, char** words)
{
    std::string const what = count > 1 ? words[1] : "";
    if (count > 2) log_path = words[2];
    if (count > 3) killed_at = static_cast<unsigned>(std::stoul(words[3]));
    if (what == "before_init") {
        try {
            (void)attune::minimize_over(MPI_COMM_WORLD, plane,
                                        [](auto const& c) { return bowl(c); });
        } catch (attune::error const& thrown) {
            say("error 0 " + thrown.what_alone());
        }
        return 0;
    }
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words,
                    what == "own" || what == "slow_own" ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE,
                    &level);
    pid_of_rank_1 = ::getpid();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) MPI_Bcast(&pid_of_rank_1, sizeof pid_of_rank_1, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (what == "groups")
        search_on_no_group();
    else if (what == "unlike_input")
        search(what, sized_plane, MPI_COMM_WORLD);
    else if (what == "odd")
        search(what, odd_plane, MPI_COMM_WORLD);
    else if (what == "unlike_late" && own_rank() == 2)
        search(what, late_other_plane, MPI_COMM_WORLD);
    else if (what == "unlike_late")
        search(what, plane, MPI_COMM_WORLD);
    else if (what == "beside")
        search_beside_messages();
    else if (what == "unlike" && own_rank() == 2)
        search(what, other_plane, MPI_COMM_WORLD);
    else
        search(what, plane, MPI_COMM_WORLD);
    MPI_Finalize();
    say("over " + what);
}
