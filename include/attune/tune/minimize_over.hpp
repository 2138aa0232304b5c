// attune/tune/minimize_over.hpp - searches for the best configuration of a plain function on the ranks of an MPI job.
// SPDX-License-Identifier: MIT
//
// Needs the target attune::mpi. Only users include this header; it includes no MPI header.
//
// tested by tune/over/mpi/ranks.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Options of a search on many ranks.
struct minimize_over_options {
    search_limits limits = search_limits::usual();
    /// Seed, searcher, inputs, bounds, progress, name and event log as for minimize(); those of
    /// rank 0 have an effect.
    minimize_options minimize{};
    /// Limit of one evaluation in seconds, more than 0. A longer evaluation is a failure (timeout).
    /// The search continues without its rank until the rank answers, and drops that answer. When
    /// all evaluating ranks are beyond twice the limit, the search ends ("no worker").
    double most_seconds = std::numeric_limits<double>::infinity();
    /// True: rank 0 evaluates too, on a separate thread. Rank 0 then returns only when its
    /// objective does, after all others have the result. MPI must have been initialised for
    /// MPI_THREAD_FUNNELED or more, and if the objective calls MPI, for MPI_THREAD_MULTIPLE.
    bool first_rank_evaluates = false;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// An MPI_Comm, which is a pointer or a number: this header includes no MPI header.
struct communicator_bits {
    std::uint64_t bits = 0;
};

/// True if a value of this type may be an MPI_Comm.
template <class Communicator>
inline constexpr bool may_be_communicator =
    (std::is_pointer_v<Communicator> || std::is_integral_v<Communicator>) &&
    sizeof(Communicator) <= sizeof(std::uint64_t);

template <class Communicator>
[[nodiscard]] communicator_bits bits_of(Communicator communicator) noexcept
{
    static_assert(may_be_communicator<Communicator>);
    communicator_bits out;
    std::memcpy(&out.bits, &communicator, sizeof communicator);
    return out;
}

struct minimum_on_ranks {
    minimum_on_slots end;
    chain_of_trees space; ///< this rank's own
};

/// Runs minimize_on_slots() on rank 0; the other ranks evaluate until rank 0 sends them the end.
/// All ranks call it, and it begins when the last one has called it (MPI_Comm_dup waits). All get
/// the same result. If Ctrl-C came too late, the result is `interrupted` on that rank alone.
///
/// At the end rank 0 waits for pending evaluations until they are overdue (options.most_seconds).
/// For ranks that are overdue or have not come yet, rank 0 waits one second more and then leaves
/// them. Rank 0 then returns, and a left rank returns when it has evaluated its configuration.
/// MPI_Finalize, or the next call on the communicator, waits for the left ranks. A rank that never
/// answers needs MPI_Abort. Rank 0 also waits for its own objective, after it has sent the end.
///
/// The ranks compare their space_of_rank(). A configuration outside a rank's own space is a fault.
/// A message that cannot be read ends the job by MPI_Abort, with a line on stderr.
///
/// @param build  makes the space on each rank; it may throw
/// Errors   attune::error, on all ranks: MPI is not initialised; MPI_COMM_NULL or a communicator
///          that joins two groups; a rank without a space or with another space than rank 0's (only
///          on that rank if it comes after the search); exceptions of the search on rank 0 (with
///          their type only there)
[[nodiscard]] minimum_on_ranks
minimize_on_ranks(communicator_bits communicator, std::function<chain_of_trees()> const& build,
                  std::function<evaluation(chain_of_trees const&, point const&)> const& objective,
                  minimize_over_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

template <class Config>
struct minimize_over_result : minimize_result<Config> {
    /// The work of each rank, in rank order; rank 0 is included if it evaluates.
    std::vector<worker_use> workers;
};

/// Looks for the configuration with the lowest objective, like minimize(), on all ranks of a
/// communicator. All ranks must call it and get the same result; it begins when the last rank has
/// called it. An evaluation runs on one rank alone: the objective must not call collective
/// operations of the communicator (MPI_Barrier, MPI_Allreduce).
///
/// Rank 0 searches, and each other rank evaluates one configuration after another. A rank gets its
/// next configuration without waiting for other ranks. Proposals depend on the order in which
/// outcomes arrive, so a search repeats exactly only with one worker. With a communicator of one
/// rank it is minimize(): most_seconds has no effect, and exceptions of the objective reach the
/// caller.
///
/// If the objective of a rank throws or returns NaN, that evaluation is a failure. The sink gets
/// one such notice for each rank, with rank and host. At the end, by a limit or by Ctrl-C at any
/// rank, rank 0 waits for pending evaluations, and they count. For an evaluation beyond
/// options.most_seconds, and for a rank that has not come, it waits one second more and then
/// continues without the rank. Such a rank returns when its objective does; until then
/// MPI_Finalize, or the next call with this communicator, waits for it.
///
/// Values of ranks are compared directly. If the objective is a time, use ranks of machines of one
/// kind (MPI_Comm_split). The function tune_over(), which times a kernel, refuses other ranks.
///
/// Ctrl-C at mpirun ends the job; only the event log then keeps results. To end the search alone,
/// send SIGINT to the process of one rank (kill -INT). A rank that evaluates reports it with its
/// outcome. A rank that waits reports it at its next configuration, and does not evaluate that one.
/// If SIGINT came too late for the search, `interrupted` is set on that rank alone.
///
/// A rank whose process dies ends the whole job. With options.minimize.event_log rank 0 writes a
/// file. The same call in another job continues from the file, with any number of ranks.
///
/// @param communicator  an MPI_Comm; its other messages are not touched
/// @param typed         the pack of attune::space(...), the same on all ranks
/// @param objective     called as objective(config), as for minimize()
/// @param options       those of rank 0 have an effect; inputs must be the same on all ranks
/// Errors   attune::error on all ranks: errors of minimize() on rank 0; a rank with another space,
///          or other values of its inputs or figures of its machine (only on that rank if it comes
///          after the search); MPI not initialised; MPI_COMM_NULL or a communicator of two groups;
///          most_seconds of 0, less, or NaN; rank 0 evaluates without MPI_THREAD_FUNNELED
/// Example  auto const r = attune::minimize_over(MPI_COMM_WORLD, space,
///                                               [](auto const& c) { return cost(c[x]); });
template <class Communicator, class Pack, class Objective>
[[nodiscard]] minimize_over_result<typename Pack::config_type>
minimize_over(Communicator communicator, Pack const& typed, Objective&& objective,
              minimize_over_options const& options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_v<Objective&, config_type const&>;
    static_assert(callable,
                  "attune: minimize_over(communicator, space, objective, options): the objective "
                  "must take a configuration of the space and return a number, an attune::outcome "
                  "or an attune::evaluation");
    constexpr bool has_communicator = detail::may_be_communicator<Communicator>;
    static_assert(has_communicator,
                  "attune: minimize_over(communicator, space, objective, options): the "
                  "communicator must be an MPI_Comm");
    minimize_over_result<config_type> out;
    if constexpr (callable && has_communicator) {
        detail::minimum_on_ranks const found = detail::minimize_on_ranks(
            detail::bits_of(communicator), [&] { return build(typed, options.minimize.inputs); },
            [&](chain_of_trees const& built, point const& at) -> evaluation {
                return detail::objective_evaluation(objective(decode(typed, built.describe(), at)));
            },
            options);
        detail::take_minimum(out, found.end.found, typed, found.space);
        out.workers = found.end.workers;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/minimize_over.ipp>
#endif
