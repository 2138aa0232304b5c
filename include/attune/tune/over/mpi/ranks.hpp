// attune/tune/over/mpi/ranks.hpp - the ranks of a communicator as slots of a search on its rank 0, and their options.
// SPDX-License-Identifier: MIT
//
// Defined in the target attune::mpi, which needs MPI (Debian: libopenmpi-dev or libmpich-dev).
// Calls only MPI-3's C interface.
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize_options.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

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

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/over/mpi/ranks.ipp>
#endif
