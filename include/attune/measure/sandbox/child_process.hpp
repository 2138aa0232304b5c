// attune/measure/sandbox/child_process.hpp - runs a function in a forked child and reports its end.
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

namespace attune::inline ATTUNE_ABI::detail {

/// How a child ended.
enum class child_ending : std::uint8_t {
    returned,  ///< both functions returned, and the check had no objection
    objected,  ///< the check returned a text
    threw,     ///< an exception left one of the functions
    exited,    ///< exit, _exit or quick_exit was called
    signalled, ///< a signal killed it
    overran,   ///< it was killed at its time limit
    lost,      ///< unknown: another part of the program reaped it, or SIGCHLD is ignored
};

/// The last step that a child reached.
enum class child_phase : std::uint8_t { starting, running, checking, done };

/// The default for a child's additional memory, in bytes: three quarters of the free memory, at
/// least 1 GiB; 8 GiB when the free memory is unknown.
[[nodiscard]] std::size_t usual_child_memory();

/// Limits of a child: wall seconds and memory.
struct child_limits {
    double run_s = 10;   ///< for `run`
    double check_s = 60; ///< for `check`; comparing large arrays takes time too
    double begin_s = 10; ///< until `run` begins; on a loaded machine a new process waits
    std::size_t memory_bytes =
        0; ///< that it may map additionally, on Linux; 0: usual_child_memory()
    std::span<address_range const> without{}; ///< memory that the child does not get
    /// Called repeatedly in the parent while `run` runs. Returns the time at which `run` is
    /// stopped, in seconds of the steady clock, if that is earlier than the end of `run_s`. May be
    /// empty.
    std::function<double()> run_until_s{};
};

/// How a child ended, and its report.
struct child_end {
    child_ending ending = child_ending::lost;
    child_phase phase = child_phase::starting; ///< the last phase that it reported
    double elapsed_s = 0; ///< wall seconds of `run`, if it returned; a cold run that copies pages
    int code = 0;         ///< exit status, or number of the signal
    int signal_code = 0;  ///< si_code of the signal, if the child reported it
    std::optional<std::uintptr_t> address; ///< the address of a memory fault
    /// True: it crashed or threw after the system had refused it memory.
    bool wanted_memory = false;
    std::string text; ///< the exception's what(), or the check's objection; up to 4000 bytes
    std::string log;  ///< its output to stderr; up to 64 KiB (empty without memfd_create)
};

/// Runs `run`, then `check`, in a forked child on copy-on-write memory, and waits for its end.
///
/// What they write to private memory is lost with the child; memory shared between processes is not
/// protected. The child has only the calling thread: functions that need other threads of this
/// process do not work (a libgomp team from before the fork hangs and ends as `overran`).
///
/// In the child, signal handlers have their defaults and no signal is blocked. It has its own
/// process group, so that Ctrl-C does not reach it. Standard input and output are /dev/null;
/// standard error is kept as `log`. It leaves no core dump, is the first to be killed when the
/// machine runs out of memory, runs no destructors and atexit handlers of the program, and dies
/// with its parent. At its end all processes of its group, and all that it or they have started
/// (daemons, too), are killed and it is reaped, unless it hangs in the kernel. Buffered output of
/// the parent is not written twice, unless the child flushes a stream other than stdin, stdout and
/// stderr.
///
/// Ctrl-C during a tuning kills the child, and cut_short is thrown: see program_end.hpp.
///
/// @param run    timed and limited
/// @param check  returns an objection, or an empty text; may be empty
/// Errors   attune::error: no child can be started (memory, process limit), or it does not begin
/// Cost     0.4 ms for a tiny process, 7 to 25 ms with 200 MB of 4 KiB pages unless `without` names
///          them; returns at its end (before Linux 5.3 and on other systems within a sixteenth of
///          its lifetime, at most 5 ms, after that)
[[nodiscard]] child_end run_in_child(std::function<void()> const& run,
                                     std::function<std::string()> const& check,
                                     child_limits const& limits = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/child_process.ipp>
#endif
