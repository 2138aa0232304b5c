// attune/tune/tune_over.ipp - the work of rank 0, and the work of the others.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/over/mpi/detail/rank_job.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/slots.hpp>
#include <attune/tune/over/tuning_elsewhere.hpp>
#include <attune/tune/tune_over.hpp>

#include <exception>
#include <mpi.h>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the texts of all ranks, in their order. Waits for all.
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
    MPI_Allgatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE,
                   comm);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < counts.size(); ++i)
        out.push_back(
            all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(counts[i])));
    return out;
}

/// Checks all ranks, with the same result on each. On an error all ranks free the communicator.
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

/// The work of rank 0.
[[nodiscard]] inline tuned_on_ranks search_with_ranks(MPI_Comm comm, dispatch_table& table,
                                                      keyed_call const& call)
{
    rank_order end;
    tuned_on_ranks out;
    std::exception_ptr thrown;
    std::optional<ranks_evaluator> others;
    or_abort(comm, [&] { others.emplace(comm, std::string{}, ranks_evaluator::without::some); });
    slot_trials places(*others);
    try {
        tuned_now now = table.tune_with(places, call.shape, call.inputs, call.frame);
        if (now.is_too_short)
            throw error("the call is too short to be tuned",
                        "on rank 0 a call of the default takes less than a microsecond",
                        "call tune_over() with larger arrays");
        found_elsewhere found{std::move(now.at), std::move(now.report)};
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

/// Tries the configuration of an order; seen is empty if Ctrl-C came first.
inline void try_order(tuning_elsewhere& part, rank_order const& of, rank_report& report)
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

/// Tries variants until the end. @return  the end, and true if Ctrl-C was pressed here
[[nodiscard]] inline std::pair<rank_order, bool> try_variants(MPI_Comm comm, tuning_elsewhere& part)
{
    interrupt_guard const interrupt{interrupt_guard::afterwards::no_handler};
    rank_report report{.host = own_host()};
    try {
        report.problem = part.why_no_part();
        if (report.problem.empty())
            report.seen = guarded_evaluation{evaluation{part.worker().default_time()}};
    } catch (...) {
        report.problem = problem_here();
    }
    rank_order end = obey_orders(comm, report, interrupt,
                                 [&](rank_order const& of) { try_order(part, of, report); });
    return {std::move(end), interrupt.requested()};
}

[[nodiscard]] inline tuned_on_ranks work_for_tuning(MPI_Comm comm, tuning_elsewhere& part)
{
    auto const [end, is_interrupted] = try_variants(comm, part);
    if (!end.problem.empty())
        throw error("the tuning on rank 0 ended without a result", end.problem, "");
    tuned_on_ranks out{part.install(read_found(end.found)), end.end.workers};
    if (is_interrupted) out.report.interrupted = true; // also if it came too late
    return out;
}

ATTUNE_INLINE tuned_on_ranks tune_on_ranks(communicator_bits communicator, dispatch_table& table,
                                           keyed_call call)
{
    own_float_environment const numbers;
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
        if (rank == 0 && part->is_empty()) own.problem = "all arrays of its call are empty";
    } catch (...) {
        thrown = std::current_exception();
        own.problem = problem_here();
    }
    require_alike(comm, own, thrown);
    if (rank > 0) return work_for_tuning(comm, *part);
    part.reset(); // frees the turn for the tuning
    return search_with_ranks(comm, table, call);
}

} // namespace attune::inline ATTUNE_ABI::detail
