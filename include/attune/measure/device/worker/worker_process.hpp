// attune/measure/device/worker/worker_process.hpp - a process that runs variants, and its main loop.
// SPDX-License-Identifier: MIT
//
// CUDA does not work in a forked child if the parent has used it. The worker is therefore this
// program, started again; it never reaches main() (see worker_door.hpp).
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <functional>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Makes the bench that runs variants.
using bench_maker = std::function<std::unique_ptr<device_bench>(
    std::shared_ptr<cuda::driver const> driver, device_call call,
    device_bench_options const& options)>;

/// Answers messages on `socket` until the other end is closed.
void serve(int socket, bench_maker const& make) noexcept;

/// Calls serve() until this process ends. The process also ends when the other end is closed, and
/// leaves no core file.
[[noreturn]] void live_as_worker(int socket, int parent, bench_maker const& make) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail::worker

namespace attune::inline ATTUNE_ABI::detail {
class started_child;
}

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Starts a process with `socket` as its end of the connection and `log` for its output (-1: none).
/// Both stay open here. Returns the process id, or throws attune::error.
using starter = std::function<int(int socket, int log)>;

/// Starts this program again as a worker: without arguments and input, with default signal actions.
/// Only `socket` and `log` are open there; with glibc before 2.34 also files that this program
/// opened without O_CLOEXEC. If attune is in a shared object, that object is preloaded.
/// Errors   attune::error: the start fails, with the system's message; the program has no worker
///          door
[[nodiscard]] int start_this_program(int socket, int log);

struct ending {
    bool is_known = false; ///< false: other code reaped it, or it is left
    int signal = 0;        ///< 0: none
    int code = 0;          ///< exit status
    bool is_left = false;  ///< true: it was killed but did not end in time
};

/// "SIGSEGV (invalid memory access)", "exit(3) was called".
[[nodiscard]] std::string text_of(ending const& how);

/// A running worker. The destructor leaves no process, zombie or open file, unless the process
/// hangs in the kernel.
class process {
public:
    /// @param end_within_s  longest wait of end() for a killed worker
    /// Errors   attune::error
    explicit process(starter const& start, double end_within_s = 5);
    ~process();
    process(process const&) = delete;
    process& operator=(process const&) = delete;

    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] int id() const noexcept;

    /// Waits for a message, and checks regularly that the worker still runs.
    /// Errors   damaged_message
    [[nodiscard]] transfer receive(message& into, double until_s);
    /// Returns true if it has ended; it stays a zombie until end().
    [[nodiscard]] bool has_ended() noexcept;
    /// Kills it and its process group, and reaps it.
    ending end() noexcept;

    /// The output since forget_log().
    [[nodiscard]] std::string log() const;
    void forget_log() noexcept;

private:
    class output;

    std::unique_ptr<output> output_;
    descriptor socket_{};
    std::unique_ptr<attune::detail::started_child> child_{};
    double end_within_s_;
    ending ending_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_process.ipp>
#endif
