// attune/tune/minimize_over.ipp - the work of rank 0, and the work of the others.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/minimize_over.hpp>
#include <attune/tune/over/mpi/detail/rank_job.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <exception>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

using ranked_objective = std::function<evaluation(chain_of_trees const&, point const&)>;

/// The work of rank 0.
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
            end.end = minimize_on_slots(*space, *others, options.limits, options.minimize,
                                        options.most_seconds);
    } catch (...) {
        thrown = std::current_exception();
        end.problem = problem_here();
    }
    or_abort(comm, [&] { others->close(end); });
    if (thrown) std::rethrow_exception(thrown);
    return {std::move(end.end), *std::move(space)};
}

[[nodiscard]] inline guarded_evaluation evaluate_order(chain_of_trees const& space, point const& at,
                                                       ranked_objective const& objective)
{
    if (!space.contains(at))
        return {failure{failure_stage::crash,
                        "this rank's space does not have the configuration: it is another space"},
                true};
    return evaluate_guarded([&](point const& one) { return objective(space, one); }, at);
}

/// The work of the other ranks.
[[nodiscard]] inline minimum_on_ranks work_for_search(MPI_Comm comm, int rank,
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
    interrupt_guard const interrupt{interrupt_guard::afterwards::no_handler};
    rank_order order = obey_orders(comm, report, interrupt, [&](rank_order const& of) {
        report.seen = evaluate_order(*space, *of.at, objective);
    });
    if (thrown) std::rethrow_exception(thrown);
    if (interrupt.requested()) order.end.found.interrupted = true; // also if it came too late
    std::string const difference =
        order.space.empty() ? "" : difference_of_spaces(report.space, order.space);
    if (order.problem.empty() && !difference.empty()) // rank 0 had ended when this rank came
        throw no_part(rank, report.host, difference);
    if (!order.problem.empty())
        throw error("the search on rank 0 ended without a result", order.problem, "");
    return {std::move(order.end), *std::move(space)};
}

/// Runs minimize() for a communicator of one rank.
[[nodiscard]] inline minimum_on_ranks search_alone(std::function<chain_of_trees()> const& build,
                                                   ranked_objective const& objective,
                                                   minimize_over_options const& options)
{
    refuse_most_seconds(options.most_seconds);
    chain_of_trees space = build();
    minimum_on_slots end;
    end.found = minimize_points(
        space, [&](point const& at) { return objective(space, at); }, options.limits,
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
    MPI_Comm const comm = own_communicator(communicator, "minimize_over(communicator, ...)");
    if (comm == MPI_COMM_NULL) return search_alone(build, objective, options);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank == 0 ? search_over(comm, build, objective, options)
                     : work_for_search(comm, rank, build, objective);
}

} // namespace attune::inline ATTUNE_ABI::detail
