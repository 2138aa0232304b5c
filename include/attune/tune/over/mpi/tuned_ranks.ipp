// attune/tune/over/mpi/tuned_ranks.ipp - what rank 0 does, and what the others do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/tuning_elsewhere.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/over/mpi/detail/rank_job.hpp>
#include <attune/tune/over/mpi/detail/ranks_evaluator.hpp>
#include <attune/tune/over/mpi/tuned_ranks.hpp>
#include <attune/tune/over/process_identity.hpp>
#include <attune/tune/over/slot_trials.hpp>
#include <attune/tune/over/variant_text.hpp>

#include <exception>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What each rank says, by ranks. Waits for all.
[[nodiscard]] inline std::vector<std::string> all_texts(MPI_Comm comm, std::string const& own)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    int const bytes = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(size));
    MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
    std::vector<int> begins{0};
    for (int const count : counts)
        begins.push_back(begins.back() + count);
    std::string all(static_cast<std::size_t>(begins.back()), '\0');
    MPI_Allgatherv(
        own.data(), bytes, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE, comm);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < counts.size(); ++i)
        out.push_back(
            all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(counts[i])));
    return out;
}

/// All ranks come to one conclusion, and end the communicator together where it is an error.
/// @param thrown  why this rank cannot take part; null: it can
inline void require_alike(MPI_Comm comm, process_identity const& own, std::exception_ptr thrown)
{
    std::vector<process_identity> all;
    or_abort(comm, [&] {
        for (std::string const& text : all_texts(comm, text_of_identity(own)))
            all.push_back(read_identity(text));
    });
    try {
        refuse_unlike(all);
    } catch (error const&) {
        MPI_Comm_free(&comm);
        if (thrown) std::rethrow_exception(thrown);
        throw;
    }
}

/// What rank 0 does.
[[nodiscard]] inline tuned_on_ranks
search_with_ranks(MPI_Comm comm, dispatch_table& table, keyed_call const& call)
{
    rank_order end;
    tuned_on_ranks out;
    std::exception_ptr thrown;
    std::optional<ranks_evaluator> others;
    or_abort(comm, [&] { others.emplace(comm, std::string{}, ranks_evaluator::without::some); });
    slot_trials places(*others);
    try {
        found_elsewhere found;
        found.report = table.tune(call.shape, call.inputs, call.frame, nullptr, &places);
        served_inputs const& of = table.parts().served_for(call.inputs);
        if (of.winner != nullptr) found.at = of.winner_at;
        end.found = text_of_found(found);
        end.end.found.interrupted = found.report.interrupted;
        out.report = std::move(found.report);
    } catch (...) {
        thrown = std::current_exception();
        end.problem = problem_here();
    }
    end.end.workers = places.uses();
    or_abort(comm, [&] { others->close(end); });
    if (thrown) std::rethrow_exception(thrown);
    out.workers = std::move(end.end.workers);
    return out;
}

/// What is tried for an order; seen is nothing where Ctrl-C came first.
inline void evaluate_order(tuning_elsewhere& part, rank_order const& of, rank_report& report)
{
    report.seen = guarded_evaluation{
        failure{failure_stage::crash,
                "this rank's space does not have the configuration: it is another space"},
        true};
    if (!part.has_configuration(*of.at)) return;
    try {
        tried_variant const one = part.worker().evaluate(*of.at, of.stop_above_s);
        report.seen.reset();
        if (one.made.is_cut) return;
        report.seen = guarded_evaluation{evaluation{one.made.result}};
        report.variant = text_of_variant(one, longest_report / 4);
    } catch (...) {
        report.seen = guarded_evaluation{failure{failure_stage::crash, problem_here()}, true};
    }
}

/// What the other ranks do until the end.
[[nodiscard]] inline rank_order try_variants(MPI_Comm comm, tuning_elsewhere& part)
{
    interrupt_guard const interrupt{interrupt_guard::afterwards::caller_knows};
    rank_report report{.host = own_host()};
    try {
        report.seen = guarded_evaluation{evaluation{part.worker().default_time()}};
    } catch (...) {
        report.problem = problem_here();
    }
    return obey_orders(
        comm, report, interrupt, [&](rank_order const& of) { evaluate_order(part, of, report); });
}

[[nodiscard]] inline tuned_on_ranks work_for_tuning(MPI_Comm comm, tuning_elsewhere& part)
{
    rank_order const end = try_variants(comm, part);
    if (!end.problem.empty())
        throw error("the tuning on rank 0 ended without a result", end.problem, "");
    return {part.install(read_found(end.found)), end.end.workers};
}

ATTUNE_INLINE tuned_on_ranks tune_on_ranks(communicator_bits communicator,
                                           dispatch_table& table,
                                           keyed_call call)
{
    MPI_Comm const comm =
        own_communicator(communicator, "tune_over(communicator, tuned, arguments...)");
    if (comm == MPI_COMM_NULL) return {table.tune(call.shape, call.inputs, call.frame), {}};
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    process_identity own{.name = rank_name(rank, own_host())};
    std::optional<tuning_elsewhere> part;
    std::exception_ptr thrown;
    try {
        part.emplace(table.parts(), call);
        own = identity_of(part->key(), part->space(), own.name);
    } catch (...) {
        thrown = std::current_exception();
        own.problem = problem_here();
    }
    require_alike(comm, own, thrown);
    if (rank > 0) return work_for_tuning(comm, *part);
    part.reset(); // the turn is for the tuning
    return search_with_ranks(comm, table, call);
}

} // namespace attune::inline ATTUNE_ABI::detail
