// attune/tune/over/mpi/detail/rank_letters.hpp - texts between ranks, sent and received without waiting in MPI.
// SPDX-License-Identifier: MIT
#pragma once

// The C interface alone, also where the program does not say so.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr int rank_message_tag = 23;

/// Rests between two looks, longer the longer it waits, so that who waits takes no core from who
/// evaluates: 1/64 of the time so far, from 20 us to 2 ms.
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

/// A message that has arrived; nothing: none has.
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
/// after it has looked, so that one empty look says nothing.
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

/// A message under way; its bytes stay where they are until it is complete.
struct open_message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> bytes{};
};

/// Messages under way and the communicator that they use.
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

/// Frees the communicator, which all its ranks do together: now, or where some ranks are left in
/// MPI_Finalize, whose first act is to delete the attributes of MPI_COMM_SELF (MPI-3.1 Sec. 8.7.1).
inline void end_communicator(open_messages all, bool some_left)
{
    if (!some_left) return all.finish();
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish_at_finalize, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, new open_messages(std::move(all)));
    MPI_Comm_free_keyval(&key);
}

} // namespace attune::inline ATTUNE_ABI::detail
