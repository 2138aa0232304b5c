// attune/measure/sandbox/isolation.hpp - the protection of the program from variants, and limits of runs.
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

/// The protection of the program from the variants of a kernel.
///
/// Each trial has its own child. A worker for several trials would be forked before the variants
/// are compiled, and lack their code and the caller's data.
///
/// A variant that changes the process (environment, working directory, handlers ...) fails. In the
/// process the change is reverted. While the program has other threads, which may make such changes
/// too, only a forked child is checked for them.
enum class isolation : std::uint8_t {
    automatic, ///< the default: `fork`, or `guard` if a fork is expensive, fails or would hang
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

/// Memory of this process in bytes, from /proc/self/statm; 0 if that is missing.
struct memory_use {
    std::size_t resident = 0;
    std::size_t data = 0; ///< private and writable: heap, stacks, anonymous mappings
};
[[nodiscard]] memory_use read_memory_use();

/// Properties of a process by which `automatic` chooses.
struct process_facts {
    std::size_t small_page_bytes = 0; ///< resident, private, not in huge pages; 0: unknown
    bool has_gomp_team = false;       ///< libgomp is loaded, and the program has other threads
};

/// Name of attune's own threads, which belong to no OpenMP team.
inline constexpr char const* own_thread_name = "attune compile";

/// The facts of this process. Cost: 0.1 ms; 1 ms per GB above `dear_fork_bytes`.
[[nodiscard]] process_facts observe_process();
/// The value of process_facts::has_gomp_team, which may change between trials. Cost: 50 us.
[[nodiscard]] bool has_gomp_team();

/// With more memory in small pages, `automatic` does not fork: a fork would take 65 ms or more.
inline constexpr std::size_t dear_fork_bytes = std::size_t{2} << 30;

/// Returns true if a sanitizer watches the program: address, thread or memory. Detects its runtime,
/// because compiler macros describe a single file, and Clang has none.
[[nodiscard]] bool has_sanitizer() noexcept;

/// The file whose malloc() replaces the C library's: "libtcmalloc.so.4". Empty for the C library's
/// and a sanitizer's. Another thread may hold a lock of malloc() during a fork, and only the C
/// library makes malloc() usable in the child.
[[nodiscard]] std::string foreign_allocator();

/// Returns true if threads besides the calling one and attune's exist, or if that is unknown. Such
/// threads may change shared state at any time. Cost: 12 us.
[[nodiscard]] bool has_other_threads();

struct isolation_choice {
    isolation how = isolation::fork; ///< never `automatic`
    std::string why;                 ///< "fork: as asked", "guard: a fork would copy ..."
};

/// @param wanted  returned unless it is `automatic`
[[nodiscard]] isolation_choice choose_isolation(isolation wanted, process_facts const& facts);

} // namespace detail

/// Limits of a first run, besides its time. The defaults suit all kernels except those that
/// allocate much memory or have a check of minutes.
struct trial_limits {
    std::size_t memory_bytes =
        0;               ///< memory that the run may map additionally; 0: usual_child_memory()
    double check_s = 60; ///< wall seconds for the comparison and the user's check together
    double begin_s = 10; ///< wall seconds until the run begins
};

namespace detail {

/// The shortest time limit of a run, in seconds. Forking, page faults or a pause of the machine
/// dominate shorter runs.
inline constexpr double shortest_limit_s = 0.25;
/// A run that takes longer than a known one by this factor counts as hanging.
inline constexpr double usual_first_run_ratio = 10;

/// Memory use that grows by this much, and again in a second run, is a leak.
inline constexpr std::size_t least_leak_bytes = std::size_t{1} << 20;

/// Wall seconds after which a run counts as hanging, from the seconds of a successful run.
[[nodiscard]] constexpr double first_run_limit_s(double took_s,
                                                 double ratio = usual_first_run_ratio) noexcept
{
    double const limit_s = ratio * took_s;
    return limit_s > shortest_limit_s ? limit_s : shortest_limit_s;
}

/// After this number of samples a variant enters the final, even with an imprecise time.
inline constexpr std::uint32_t most_samples_of_a_variant = 24;

/// The confidence of each interval of `contestants` against one of them: all together hold with 95
/// % (Bonferroni).
[[nodiscard]] constexpr double confidence_among(std::size_t contestants) noexcept
{
    return 1 - 0.05 / (contestants > 2 ? static_cast<double>(contestants - 1) : 1.0);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/isolation.ipp>
#endif
