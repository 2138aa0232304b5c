// attune/measure/cuda/worker/worker_door.hpp - how this program, started again, becomes a worker.
// SPDX-License-Identifier: MIT
// Source   unix(7): SO_PEERCRED, SCM_CREDENTIALS
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// A worker is this program, which starts itself again with `worker_variable` in the environment.
/// It serves its parent before static objects are constructed, and never reaches main().
///
/// A worker loads the CUDA driver that its parent names and runs the parent's code, so a process
/// that passes for the parent can run code in it. Any program can set a variable and pass a socket.
/// So a worker serves, and reads from the connection, only if all of this is true:
/// - the program has no privileges that its caller lacks (detail::is_privileged_start); with them,
///   the variable is ignored and main() runs;
/// - its real and effective user and group are equal;
/// - the variable names its parent process, which made both sockets (SO_PEERCRED);
/// - the parent runs the same file (/proc/PID/exe), before and after the next test;
/// - the parent returns 16 random bytes sent through `door_socket`, and the system confirms that
///   process as the sender (SCM_CREDENTIALS). So data that was written to the socket before the
///   parent became this program is worthless.
/// A start that fails a test ends with one sentence on stderr and exit code `refused_code`; main()
/// does not run, because the process may be a worker that cannot read /proc.
///
/// Not prevented: a user who can run code in the parent (LD_PRELOAD, a debugger, a script in an
/// interpreter) can run it in the worker too, with the same user and privileges.
inline constexpr char const* worker_variable = "ATTUNE_WORKER";
inline constexpr int worker_socket = 3; ///< a worker's end of the connection
inline constexpr int door_socket = 4;   ///< for the parent's proof; closed afterwards
inline constexpr int refused_code = 126;

/// Becomes a worker if a parent that proves itself has requested it; else stores `door`.
void pass_worker_door(void (*door)() noexcept) noexcept;

/// A template, so that only programs that call hold_worker_door() contain it.
template <class>
struct worker_door {
    /// Runs before static objects, which may start threads, open files or use CUDA.
    [[gnu::constructor(101), gnu::used]] static void pass() noexcept { pass_worker_door(&pass); }
};

} // namespace attune::inline ATTUNE_ABI::detail::worker

namespace attune::inline ATTUNE_ABI {

/// Makes the calling program able to be a worker. make_device_target(cuda_target) calls it;
/// programs without attune::cuda do not contain the door.
template <class Door = void>
void hold_worker_door() noexcept
{
    static_cast<void>(&detail::worker::worker_door<Door>::pass);
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_door.ipp>
#endif
