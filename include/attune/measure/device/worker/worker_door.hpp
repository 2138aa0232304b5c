// attune/measure/device/worker/worker_door.hpp - turns this program, started again, into a worker.
// SPDX-License-Identifier: MIT
// Source   unix(7): SO_PEERCRED, SCM_CREDENTIALS
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// A worker is this program, which starts itself again with `worker_variable` in the environment.
/// The worker serves its parent before static objects are constructed, and never reaches main().
///
/// A worker loads the CUDA driver that its parent names and runs the parent's code. A process that
/// passes for the parent could therefore run code in it, and any program can set a variable and
/// pass a socket. A worker serves, and reads from the connection, only if all of this is true:
/// - the program has no privileges that its caller lacks (detail::is_privileged_start); otherwise
///   the variable is ignored and main() runs;
/// - its real and effective user and group are equal;
/// - the variable names its parent process, which made both sockets (SO_PEERCRED);
/// - the parent runs the same file (/proc/PID/exe), before and after the next test;
/// - the parent returns 16 random bytes that were sent through `door_socket`, and the system
///   confirms the parent as the sender (SCM_CREDENTIALS). Data written to the socket before the
///   parent became this program is then worthless.
/// A start that fails a test ends with a sentence on stderr and exit code `refused_code`. main()
/// does not run, because the process may be a worker that cannot read /proc.
///
/// Not prevented: a user who can run code in the parent (LD_PRELOAD, a debugger, a script in an
/// interpreter) can run it in the worker too, with the same user and privileges.
inline constexpr char const* worker_variable = "ATTUNE_WORKER";
inline constexpr int worker_socket = 3; ///< a worker's end of the connection
inline constexpr int door_socket = 4;   ///< for the parent's proof; closed afterwards
inline constexpr int refused_code = 126;

/// Becomes a worker if a proven parent has requested it; else stores `door`.
void pass_worker_door(void (*door)() noexcept) noexcept;

/// The address of the door.
/// Errors   attune::error: no door; this program, started again, would run its main()
[[nodiscard]] std::uintptr_t require_worker_door();

/// The parent's side: waits for the worker's challenge and returns it. If the worker ends instead,
/// the first request to it fails.
/// @param worker  its process id
void prove_to_worker(int socket, int worker);

/// A template: only programs that call hold_worker_door() contain it.
template <class>
struct worker_door {
    /// Runs before static objects, which may start threads, open files or use CUDA, and after
    /// calls of add_driver_opener().
    [[gnu::constructor(102), gnu::used]] static void pass() noexcept { pass_worker_door(&pass); }
};

} // namespace attune::inline ATTUNE_ABI::detail::worker

namespace attune::inline ATTUNE_ABI {

/// Enables the calling program to become a worker. make_device_target(cuda_target) calls it.
/// Programs without attune::cuda do not contain the door.
template <class Door = void>
void hold_worker_door() noexcept
{
    static_cast<void>(&detail::worker::worker_door<Door>::pass);
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_door.ipp>
#endif
