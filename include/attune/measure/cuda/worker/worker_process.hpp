// attune/measure/cuda/worker/worker_process.hpp - a process in which variants run.
// SPDX-License-Identifier: MIT
//
// CUDA does not work in a forked child if the parent has used it. So the worker is this program,
// started again; it never reaches main() (see worker_door.hpp).
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <functional>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {
class started_child;
}

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Starts a process with `socket` as its end of the connection and `log` for its output (-1: none).
/// Both stay open here. Returns the process id, or throws attune::error.
using starter = std::function<int(int socket, int log)>;

/// Starts this program again as a worker: without arguments and input, with default signal actions.
/// Only `socket` and `log` are open there, with glibc before 2.34 also files that this program
/// opened without O_CLOEXEC. If attune is in a shared object, that object is preloaded.
/// Errors   attune::error: it cannot be started, with the system's message; it has no worker door
[[nodiscard]] int start_this_program(int socket, int log);

/// How a worker ended.
struct ending {
    bool is_known = false; ///< false: it was reaped elsewhere, or it is left
    int signal = 0;        ///< 0: none
    int code = 0;          ///< exit status
    bool is_left = false;  ///< true: it was killed and did not end in time
};

/// "SIGSEGV (invalid memory access)", "exit(3) was called".
[[nodiscard]] std::string text_of(ending const& how);

/// A running worker. The destructor leaves neither a process nor a zombie nor an open file, unless
/// the process hangs in the kernel.
class process {
public:
    /// @param end_within_s  how long end() waits for a worker that was killed
    /// Errors   attune::error
    explicit process(starter const& start, double end_within_s = 5);
    ~process();
    process(process const&) = delete;
    process& operator=(process const&) = delete;

    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] int id() const noexcept;

    /// Waits for a message, and checks regularly whether the worker still runs.
    /// Errors   damaged_message
    [[nodiscard]] transfer receive(message& into, double until_s);
    /// True when it has ended; it stays a zombie until end().
    [[nodiscard]] bool has_ended() noexcept;
    /// Kills it and its process group, and reaps it.
    ending end() noexcept;

    /// Its output since forget_log().
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
#include <attune/measure/cuda/worker/worker_process.ipp>
#endif
