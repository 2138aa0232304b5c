// attune/measure/cuda/worker/worker_door.hpp - how a program that was started anew becomes a worker.
// SPDX-License-Identifier: MIT
// Source   unix(7): SO_PEERCRED, SCM_CREDENTIALS
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::worker {

/// A worker is this program, started anew by itself with `worker_variable` in its environment. It
/// serves its parent before the program's own static objects are made; main is never reached.
///
/// A worker loads the CUDA driver that its parent names and runs code that its parent sends, so
/// that whoever passes for the parent runs code in it. Any program can set a variable and pass a
/// socket. The door therefore opens only where all of this holds, and nothing is read from the
/// connection before:
/// - the program has no privileges that its caller lacks (detail::is_privileged_start); where it
///   has, the variable does not exist for it, and main runs;
/// - it runs as one user, its real and its effective one;
/// - the variable names its parent process, which has made both sockets (SO_PEERCRED);
/// - the parent runs the same file (/proc/PID/exe), before and after the next test;
/// - the parent answers now: 16 random bytes, sent through `door_socket`, come back, and the system
///   says that this process has sent them (SCM_CREDENTIALS). What was put into the socket before
///   the parent became this program therefore counts for nothing.
/// A start that fails one of them ends with one sentence on stderr and exit code `refused_code`:
/// its main is not run, because it may be a worker whose /proc cannot be read.
///
/// What is left: who may run code inside the parent (LD_PRELOAD, a debugger, a script where the
/// program is an interpreter) may run it in the worker too, as the same user and with the same
/// privileges as in the parent itself.
inline constexpr char const* worker_variable = "ATTUNE_WORKER";
inline constexpr int worker_socket = 3; ///< a worker's end of the connection
inline constexpr int door_socket = 4;   ///< where its parent proves itself; closed then
inline constexpr int refused_code = 126;

namespace detail {

/// Becomes a worker if a parent that proves itself has asked for one; else notes where the door is.
void pass_worker_door(void (*door)() noexcept) noexcept;

/// A template, so that only programs in which something holds the door contain it.
template <class>
struct worker_door {
    /// Before every static object of the program: they may start threads, open files, or use CUDA.
    [[gnu::constructor(101), gnu::used]] static void pass() noexcept { pass_worker_door(&pass); }
};

} // namespace detail

/// Makes the program that calls this one that can be a worker. `tuned` does it for every compiler
/// for a device; programs that have none do not contain the door.
template <class Door = void>
void hold_worker_door() noexcept
{
    static_cast<void>(&detail::worker_door<Door>::pass);
}

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_door.ipp>
#endif
