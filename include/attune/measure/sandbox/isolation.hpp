// attune/measure/sandbox/isolation.hpp - how the program is protected from variants, and why.
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

/// How the program is protected from the variants of a kernel.
///
/// Each trial has its own child: a worker that outlives a trial would have to be forked before the
/// variants are compiled, and would have neither their code nor the caller's data.
///
/// A variant that changes the process (environment, working directory, handlers ...) fails. In the
/// process the change is reverted; but while the program has other threads, which may make such
/// changes too, only a forked child is checked for them.
enum class isolation : std::uint8_t {
    automatic, ///< the default: `fork`, or `guard` when a fork is expensive, fails or would hang
    fork,  ///< the first run is in a forked child, others are in the process with a signal guard
    guard, ///< all runs are in the process with a signal guard. Wild writes are not undone, and
           ///< a variant that calls exit() ends the program
    none,  ///< all runs are in the process without protection: for a debugger
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

/// Memory of this process in bytes, from /proc/self/statm; 0 when that is missing.
struct memory_use {
    std::size_t resident = 0;
    std::size_t data = 0; ///< private and writable: heap, stacks, anonymous mappings
};
[[nodiscard]] memory_use read_memory_use();

/// Properties of a process that decide about forking.
struct process_facts {
    std::size_t small_page_bytes = 0; ///< resident, private, not in huge pages; 0: unknown
    bool has_gomp_team = false;       ///< libgomp is loaded, and the program has other threads
};

/// Name of attune's own threads, none of which belongs to an OpenMP team.
inline constexpr char const* own_thread_name = "attune compile";

/// The facts of this process. Cost: 0.1 ms; 1 ms per GB above `dear_fork_bytes`.
[[nodiscard]] process_facts observe_process();
/// As process_facts::has_gomp_team, which may change between trials. Cost: 50 us.
[[nodiscard]] bool has_gomp_team();

/// With more memory in small pages, `automatic` does not fork: a fork would take 65 ms or more.
inline constexpr std::size_t dear_fork_bytes = std::size_t{2} << 30;

/// Whether a sanitizer watches the program: address, thread or memory. Its runtime says so; macros
/// of the compiler speak of one file alone, and Clang has none.
[[nodiscard]] bool has_sanitizer() noexcept;

/// The file whose malloc() replaces the C library's: "libtcmalloc.so.4"; empty for the C library's
/// and a sanitizer's. Another thread may hold its lock during a fork, and only the C library makes
/// malloc() usable in the child.
[[nodiscard]] std::string foreign_allocator();

/// True when threads besides the calling one and attune's exist, which may change shared state at
/// any time; also true when that is unknown. Cost: 12 us.
[[nodiscard]] bool has_other_threads();

/// The chosen isolation and the reason.
struct isolation_choice {
    isolation how = isolation::fork; ///< never `automatic`
    std::string why;                 ///< "fork: as asked", "guard: a fork would copy ..."
};

/// @param wanted  returned unless it is `automatic`
[[nodiscard]] isolation_choice choose_isolation(isolation wanted, process_facts const& facts);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/isolation.ipp>
#endif
