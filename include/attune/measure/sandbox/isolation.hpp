// attune/measure/sandbox/isolation.hpp - how far from the program a variant is kept, and why.
// SPDX-License-Identifier: MIT
// Source   own measurements: fork, exit and wait take 0.1 ms for a tiny process, 3.7 ms with 200 MB
//          and 65 ms with 2 GB of 4 KiB pages, 0.9 ms with 2 GB of huge pages; a parallel region of
//          libgomp hangs in the child of a process that has had one (one of libomp does not)
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// What protects the program from the variants of a kernel.
///
/// There is no worker process that lives longer than one trial: it would have to be forked before
/// the variants are compiled, and so would have neither their code nor the caller's data.
///
/// A variant that leaves the process changed (environment, working directory, handlers ...) fails,
/// and in the process that is put back; but while the program has threads of its own beside the
/// calling one, which may change the same things, only a forked child is watched for them.
enum class isolation : std::uint8_t {
    automatic, ///< the default: `fork`, or `guard` where a fork is dear, fails or would hang
    fork,      ///< first run in a forked child, all others in the process under a signal guard
    guard,     ///< all runs in the process under a signal guard. Wild writes are not undone, and a
               ///< variant that calls exit() ends the program
    none,      ///< all runs in the process as they are: for a debugger
};

/// "fork", "guard", ...
[[nodiscard]] constexpr std::string_view describe(isolation how) noexcept
{
    switch (how) {
    case isolation::automatic:
        return "automatic";
    case isolation::fork:
        return "fork";
    case isolation::guard:
        return "guard";
    case isolation::none:
        return "none";
    }
    return "unknown";
}

namespace detail {
/// Sizes of this process in bytes, as /proc/self/statm tells them; 0 where it is missing.
struct memory_use {
    std::size_t resident = 0;
    std::size_t data = 0; ///< private and writable: heap, stacks, anonymous mappings
};
[[nodiscard]] memory_use read_memory_use();
} // namespace detail

/// What decides whether to fork.
struct process_facts {
    std::size_t small_page_bytes = 0; ///< resident, private, not in huge pages; 0: unknown
    bool has_gomp_team = false;       ///< libgomp is loaded and the program has other threads
};

/// What attune's own threads are called: none of them is of an OpenMP team.
inline constexpr char const* own_thread_name = "attune compile";

/// Looks at this process. Cost: 0.1 ms; 1 ms for each GB when more than `dear_fork_bytes` are used.
[[nodiscard]] process_facts observe_process();
/// The part of it that may change between two trials. Cost: 50 us.
[[nodiscard]] bool has_gomp_team();

/// Above this much memory in small pages, `automatic` does not fork: 65 ms or more for each trial.
inline constexpr std::size_t dear_fork_bytes = std::size_t{2} << 30;

/// The file whose malloc() serves this process in place of the C library's: "libtcmalloc.so.4",
/// say; empty where it is the C library's, or that of a sanitizer. Another thread may hold a lock
/// of it when this one forks, and only the C library promises that the child can go on.
[[nodiscard]] std::string foreign_allocator();

/// Whether there are threads besides the calling one that are not attune's: they may change, at
/// any moment, what all threads share. True where the machine does not tell. Cost: 12 us.
[[nodiscard]] bool has_other_threads();

/// A decision and its reason.
struct isolation_choice {
    isolation how = isolation::fork; ///< never `automatic`
    std::string why;                 ///< "fork: as asked", "guard: a fork would copy ..."
};

/// @param wanted  obeyed unless it is `automatic`
[[nodiscard]] isolation_choice choose_isolation(isolation wanted, process_facts const& facts);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/isolation.ipp>
#endif
