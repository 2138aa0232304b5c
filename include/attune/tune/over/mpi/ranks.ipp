// attune/tune/over/mpi/ranks.ipp - what rank 0 does, and what the others do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/over/mpi/detail/rank_letters.hpp>
#include <attune/tune/over/mpi/detail/ranks_evaluator.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/mpi/ranks.hpp>
#include <attune/tune/over/slot_evaluator.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>

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

using ranked_objective = std::function<evaluation(chain_of_trees const&, point const&)>;

/// What rank 0 does.
[[nodiscard]] inline minimum_on_ranks search_over(MPI_Comm comm,
                                                  std::function<chain_of_trees()> const& build,
                                                  ranked_objective const& objective,
                                                  minimize_over_options const& options)
{
    rank_order end;
    std::optional<chain_of_trees> space;
    std::exception_ptr thrown;
    std::optional<ranks_evaluator> others;
    try {
        space = build();
    } catch (...) {
        thrown = std::current_exception();
        end.problem = problem_here();
    }
    or_abort(comm, [&] {
        others.emplace(comm, space ? space_of_rank(space->describe()) : std::string{});
    });
    try {
        if (space && options.first_rank_evaluates) {
            int level = MPI_THREAD_SINGLE;
            MPI_Query_thread(&level);
            if (level < MPI_THREAD_FUNNELED)
                throw error("rank 0 cannot evaluate beside the search",
                            "MPI was initialised for a single thread",
                            "call MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "
                            "or leave first_rank_evaluates false");
            others->evaluate_here([&](point const& at) { return objective(*space, at); });
        }
        if (space)
            end.end = minimize_on_slots(
                *space, *others, options.limits, options.minimize, options.most_seconds);
    } catch (...) {
        thrown = std::current_exception();
        end.problem = problem_here();
    }
    or_abort(comm, [&] { others->close(end); });
    if (thrown) std::rethrow_exception(thrown);
    return {std::move(end.end), *std::move(space)};
}

/// What the objective says of an order.
[[nodiscard]] inline guarded_evaluation
evaluate_order(chain_of_trees const& space, point const& at, ranked_objective const& objective)
{
    if (!space.contains(at))
        return {failure{failure_stage::crash,
                        "this rank's space does not have the configuration: it is another space"},
                true};
    return evaluate_guarded([&](point const& one) { return objective(space, one); }, at);
}

/// What the other ranks do.
[[nodiscard]] inline minimum_on_ranks work_for_search(MPI_Comm comm,
                                                      int rank,
                                                      std::function<chain_of_trees()> const& build,
                                                      ranked_objective const& objective)
{
    rank_report report{.host = own_host()};
    std::optional<chain_of_trees> space;
    std::exception_ptr thrown;
    try {
        space = build();
        report.space = space_of_rank(space->describe());
    } catch (...) {
        thrown = std::current_exception();
        report.problem = problem_here();
    }
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    rank_order order;
    or_abort(comm, [&] {
        for (;;) {
            report.wants_stop = interrupt.requested();
            std::string const text = text_of_report(report);
            MPI_Send(
                text.data(), static_cast<int>(text.size()), MPI_BYTE, 0, rank_message_tag, comm);
            std::optional<rank_letter> letter;
            for (rests_between_looks looks; !(letter = next_letter(comm, 0)); looks.rest()) {
            }
            order = read_order(letter->text);
            if (!order.at) break;
            report.seen.reset();
            if (!interrupt.requested()) report.seen = evaluate_order(*space, *order.at, objective);
        }
        end_communicator({.comm = comm}, order.some_left);
    });
    if (thrown) std::rethrow_exception(thrown);
    if (interrupt.requested()) order.end.found.interrupted = true; // also where it came too late
    std::string const difference =
        order.space.empty() ? "" : difference_of_spaces(report.space, order.space);
    if (order.problem.empty() && !difference.empty()) // rank 0 was gone when this one came
        throw no_part(rank, report.host, difference);
    if (!order.problem.empty())
        throw error("the search on rank 0 ended without a result", order.problem, "");
    return {std::move(order.end), *std::move(space)};
}

/// A communicator of one rank: minimize().
[[nodiscard]] inline minimum_on_ranks search_alone(std::function<chain_of_trees()> const& build,
                                                   ranked_objective const& objective,
                                                   minimize_over_options const& options)
{
    refuse_most_seconds(options.most_seconds);
    chain_of_trees space = build();
    minimum_on_slots end;
    end.found = minimize_points(
        space,
        [&](point const& at) { return objective(space, at); },
        options.limits,
        options.minimize);
    end.workers.push_back({.name = rank_name(0, own_host()),
                           .evaluations = end.found.evaluations,
                           .failures = end.found.failures});
    return {std::move(end), std::move(space)};
}

ATTUNE_INLINE minimum_on_ranks minimize_on_ranks(communicator_bits communicator,
                                                 std::function<chain_of_trees()> const& build,
                                                 ranked_objective const& objective,
                                                 minimize_over_options const& options)
{
    int is_ready = 0;
    int is_over = 0;
    MPI_Initialized(&is_ready);
    MPI_Finalized(&is_over);
    if (is_ready == 0 || is_over != 0)
        throw error(is_over != 0 ? "MPI is finalized" : "MPI is not initialised",
                    "minimize_over(communicator, ...)",
                    "call it between MPI_Init_thread() and MPI_Finalize()");
    static_assert(may_be_communicator<MPI_Comm>);
    MPI_Comm given = MPI_COMM_NULL;
    std::memcpy(&given, &communicator.bits, sizeof given);
    int is_inter = 0;
    if (given != MPI_COMM_NULL) MPI_Comm_test_inter(given, &is_inter);
    if (given == MPI_COMM_NULL || is_inter != 0)
        throw error(is_inter != 0 ? "the communicator joins two groups"
                                  : "the communicator is MPI_COMM_NULL",
                    "minimize_over(communicator, ...)",
                    "call it with a communicator of one group, on its ranks alone");
    int size = 0;
    MPI_Comm_size(given, &size);
    if (size == 1) return search_alone(build, objective, options);
    // Messages of the program's own cannot be taken for ours, nor do its hints and its handler of
    // errors hold for ours.
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(given, MPI_INFO_NULL, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank == 0 ? search_over(comm, build, objective, options)
                     : work_for_search(comm, rank, build, objective);
}

} // namespace attune::inline ATTUNE_ABI::detail
