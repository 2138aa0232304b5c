// attune/measure/cuda/worker/worker_process.hpp - a process for variants to die in.
// SPDX-License-Identifier: MIT
//
// CUDA cannot be used in a forked child once its parent has used it: the worker is this program,
// started anew, which never gets as far as main (see worker_main.hpp)
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <functional>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {
class started_child;
}

namespace attune::inline ATTUNE_ABI::worker {

/// Starts a process. Its end of the connection is `socket`; `log` takes its output, -1: nothing
/// does. Both stay open here. Returns its number, or throws attune::error.
using starter = std::function<int(int socket, int log)>;

/// Starts the program that runs here once more, as a worker: no argument of this process's, no
/// input, all signals at their defaults. Nothing is open there but `socket` and `log`; where glibc
/// is older than 2.34, also what this program has opened without O_CLOEXEC. Where attune is in a
/// shared object, that is preloaded.
/// Errors   attune::error: it cannot be started, with the system's words; it has no worker door
[[nodiscard]] int start_this_program(int socket, int log);

/// How a worker came to its end.
struct ending {
    bool is_known = false; ///< false: somebody else has waited for it, or it is left
    int signal = 0;        ///< 0: none
    int code = 0;          ///< exit status
    bool is_left = false;  ///< it was killed, and did not end in time
};

/// "SIGSEGV (invalid memory access)", "exit(3) was called".
[[nodiscard]] std::string text_of(ending const& how);

/// A running worker. Its destructor leaves neither a process nor a zombie nor an open file; only
/// one that hangs in the system is left to end when it can.
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

    /// Waits for a message, and looks now and then whether anybody is there to send it.
    /// Errors   damaged_message
    [[nodiscard]] transfer receive(message& into, double until_s);
    /// True when it has ended; it stays a zombie until end().
    [[nodiscard]] bool has_ended() noexcept;
    /// Kills it if it still runs, and whatever it has started, and reaps it.
    ending end() noexcept;

    /// What it has written since forget_log().
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

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_process.ipp>
#endif
