// attune/measure/sandbox/child_process.hpp - runs a function where it can do no harm, and says how it ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/fork_exclusions.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// How a child came to its end.
enum class child_ending : std::uint8_t {
    returned,  ///< both functions returned and the check had nothing to say
    objected,  ///< the check returned a text
    threw,     ///< an exception left one of the functions
    exited,    ///< something called exit, _exit or quick_exit
    signalled, ///< a signal killed it
    overran,   ///< it was killed at its time limit
    lost,      ///< another part of the program reaped it (or SIGCHLD is ignored): fate unknown
};

/// How far it has come.
enum class child_phase : std::uint8_t { starting, running, checking, done };

/// Memory that a child may map in addition where nothing else is said: three quarters of what the
/// machine has free, at least 1 GiB; 8 GiB where the machine does not tell.
[[nodiscard]] std::size_t usual_child_memory();

/// What a child may take: wall seconds, and memory.
struct child_limits {
    double run_s = 10;   ///< for `run`, from the moment it begins
    double check_s = 60; ///< for `check`; comparing large arrays takes time too
    double begin_s = 10; ///< until `run` begins; a loaded machine may let a new process wait
    std::size_t memory_bytes =
        0; ///< that it may map in addition, on Linux; 0: usual_child_memory()
    std::span<address_range const> without{}; ///< memory that is not there in the child
    /// Called in the parent while `run` runs, again and again: the second of the steady clock at
    /// which its time is up, if that comes before `run_s` is over. May be empty.
    std::function<double()> run_until_s{};
};

/// The end of a child and all that is known of it.
struct child_end {
    child_ending ending = child_ending::lost;
    child_phase phase = child_phase::starting; ///< `running` or `checking` when it did not report
    double elapsed_s =
        0;        ///< wall seconds of `run`, when it returned; first run, cold, copying pages
    int code = 0; ///< exit status, or number of the signal
    int signal_code = 0; ///< si_code of the signal, when the child could still tell
    std::optional<std::uintptr_t> address; ///< that it could not access
    /// It crashed or threw after the system had refused it memory.
    bool wanted_memory = false;
    std::string text; ///< the exception's what(), or the check's objection; up to 4000 bytes
    std::string log;  ///< what it wrote to stderr; up to 64 KiB (empty where memfd is missing)
};

/// Runs `run`, then `check`, in a forked child on copy-on-write memory, and waits for its end.
///
/// Whatever they write to ordinary memory is gone with the child: memory that is *shared* between
/// processes is not protected. Of the calling thread only, so what needs other threads of this
/// process does not work there (a libgomp team that existed before the fork hangs: it ends as
/// `overran`).
///
/// The child: signal handlers at their defaults, no signal blocked, its own process group (Ctrl-C
/// is the parent's business), standard input and output on /dev/null, standard error kept as `log`,
/// no core dump, the first to be killed when the machine runs out of memory, destructors and atexit
/// handlers of the program not run, dead when its parent dies. When it ends, what it has started in
/// its process group is killed and it is reaped, unless it hangs in the system even then. The
/// parent's buffered output is not written twice, unless the child flushes a stream other than
/// stdin, stdout and stderr.
///
/// Ctrl-C during a tuning kills the child, and cut_short is thrown: see program_end.hpp.
///
/// @param run    timed and limited; @param check  may be empty; an empty text means content
/// Errors   attune::error when no child can be made (memory, process limit), or it does not begin
/// Cost     0.4 ms for a tiny process, 7 to 25 ms with 200 MB of 4 KiB pages unless `without` names
///          them; returns within a sixteenth of its lifetime (at most 5 ms) after the child's end
[[nodiscard]] child_end run_in_child(std::function<void()> const& run,
                                     std::function<std::string()> const& check,
                                     child_limits const& limits = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/child_process.ipp>
#endif
