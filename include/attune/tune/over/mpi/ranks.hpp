// attune/tune/over/mpi/ranks.hpp - the ranks of a communicator as slots of a search on its rank 0.
// SPDX-License-Identifier: MIT
//
// Defined in the target attune::mpi, where MPI is (Debian: libopenmpi-dev or libmpich-dev). Calls
// of MPI-3's C interface alone.
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/over/minimize_over_options.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// An MPI_Comm, which is a pointer or a number: this header includes nothing of MPI.
struct communicator_bits {
    std::uint64_t bits = 0;
};

/// Whether a value of this type may be an MPI_Comm.
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

/// minimize_on_slots() on rank 0; the other ranks evaluate until rank 0 sends them the end. Called
/// by all ranks, and begins when the last one has called it (MPI_Comm_dup waits); all get the same
/// result. At a rank where Ctrl-C came too late for the search, it is `interrupted` there alone.
///
/// At the end rank 0 waits for what is pending until it is overdue (options.most_seconds), and one
/// second more for the ranks that are overdue or have not come yet. Then these are left: rank 0
/// returns, they return when they have evaluated what they were given, and MPI_Finalize, or the
/// next call on the communicator, waits for them. One that never answers is for MPI_Abort. Rank 0
/// returns when its own objective does, too, after it has sent the end.
///
/// A rank compares space_of_rank(), and refuses a configuration that its own space does not have:
/// a fault. A message that cannot be read ends the job by MPI_Abort, with a line on stderr.
///
/// @param build  makes the space; on each rank, where it may throw
/// Errors   attune::error, on all ranks: MPI is not initialised, MPI_COMM_NULL, a communicator
///          that joins two groups, a rank without a space or with another space than rank 0's (on
///          that rank alone where it comes when the search is over), what the search on rank 0
///          throws (its type on rank 0 alone)
[[nodiscard]] minimum_on_ranks
minimize_on_ranks(communicator_bits communicator, std::function<chain_of_trees()> const& build,
                  std::function<evaluation(chain_of_trees const&, point const&)> const& objective,
                  minimize_over_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<mpi.h>)
#include <attune/tune/over/mpi/ranks.ipp>
#endif
