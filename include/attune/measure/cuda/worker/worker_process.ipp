// attune/measure/cuda/worker/worker_process.ipp - starts a worker, receives from it and ends it.
// SPDX-License-Identifier: MIT
//
// posix_spawn() does not copy page tables as fork() does: a program that uses CUDA has many.
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/cuda/worker/worker_door.hpp>
#include <attune/measure/cuda/worker/worker_process.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/signal_text.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// The object that contains the door, as an absolute path; empty: the executable.
/// Errors   attune::error: the loader cannot preload it, and the new process would run main()
[[nodiscard]] inline std::string shared_object_of(std::uintptr_t door)
{
    std::string name; // empty for the program
    bool const is_found = any_loaded([&](dl_phdr_info const& info) {
        for (int i = 0; i < info.dlpi_phnum; ++i) {
            auto const& segment = info.dlpi_phdr[i];
            std::uintptr_t const begin = info.dlpi_addr + segment.p_vaddr;
            if (segment.p_type != PT_LOAD || door < begin || door >= begin + segment.p_memsz)
                continue;
            name = info.dlpi_name;
            return true;
        }
        return false;
    });
    if (is_found && name.empty()) return {};
    std::unique_ptr<char, void (*)(void*)> const path{::realpath(name.c_str(), nullptr),
                                                      &std::free};
    std::string const found = path != nullptr ? path.get() : "";
    char const* why = nullptr;
    if (found.empty())
        why = "the file that attune was loaded from is not there any more";
    else if (found.find_first_of(": ") != std::string::npos)
        why = "the loader's list of objects cannot hold a path with a colon or a blank";
    if (why != nullptr)
        throw error("no worker process can be started", name + ": " + why,
                    "let variants run in this process, or mend that");
    return found;
}

/// This process's environment, with the variables that make the program a worker.
[[nodiscard]] inline std::vector<std::string> environment_of_worker(std::uintptr_t door)
{
    std::string const preload = "LD_PRELOAD=";
    std::string const asks = std::string(worker_variable) + '=';
    std::string const object = shared_object_of(door);
    std::vector<std::string> out;
    std::string preloaded = object;
    for (std::string& one : attune::detail::environment_of_children()) {
        if (one.starts_with(asks)) continue;
        if (!object.empty() && one.starts_with(preload)) {
            if (one.size() > preload.size()) preloaded += ':' + one.substr(preload.size());
            continue;
        }
        out.push_back(std::move(one));
    }
    if (!object.empty()) out.push_back(preload + preloaded);
    out.push_back(asks + std::to_string(::getpid()));
    return out;
}

ATTUNE_INLINE int start_this_program(int socket, int log)
{
    auto [here, there] = make_connection();
    attune::detail::spawn_request request;
    request.path = "/proc/self/exe";
    request.arguments = {"attune worker"};
    request.environment = environment_of_worker(require_worker_door());
    request.files = {{STDIN_FILENO, -1},
                     {STDOUT_FILENO, log},
                     {STDERR_FILENO, log},
                     {worker_socket, socket},
                     {door_socket, there.get()}};
    request.close_from = door_socket + 1;
    attune::detail::spawn_outcome const started = attune::detail::spawn(std::move(request));
    if (started.error_code != 0)
        throw error("no worker process can be started", std::strerror(started.error_code),
                    "free memory, or raise the limit on processes (ulimit -u)");
    there = descriptor();
    prove_to_worker(here.get(), started.process);
    return started.process;
}

ATTUNE_INLINE std::string text_of(ending const& how)
{
    if (how.signal != 0) return attune::detail::signal_text(how.signal, 0);
    if (how.is_known) return "exit(" + std::to_string(how.code) + ") was called";
    if (how.is_left)
        return "the worker process has not ended, though it was killed: see whether the device's "
               "driver hangs (dmesg)";
    return "the worker process has ended";
}

/// Captures the worker's output; both processes share the file's position.
class process::output {
public:
    [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
    [[nodiscard]] std::string text() const { return file_.text(); }

    void forget() noexcept
    {
        if (descriptor() < 0) return;
        char const zeros[4096] = {};
        attune::detail::quiet_writes const quiet;
        off_t const written = ::lseek(descriptor(), 0, SEEK_CUR);
        for (off_t at = 0; at < written; at += static_cast<off_t>(sizeof zeros)) {
            auto const left =
                std::min<std::size_t>(sizeof zeros, static_cast<std::size_t>(written - at));
            if (::pwrite(descriptor(), zeros, left, at) <= 0) break;
        }
        ::lseek(descriptor(), 0, SEEK_SET);
    }

private:
    attune::detail::stderr_file file_{};
};

ATTUNE_INLINE process::process(starter const& start, double end_within_s)
    : output_(std::make_unique<output>())
    , end_within_s_(end_within_s)
{
    auto [here, there] = make_connection();
    socket_ = std::move(here);
    child_ =
        std::make_unique<attune::detail::started_child>(start(there.get(), output_->descriptor()));
}

ATTUNE_INLINE process::~process() { end(); }

ATTUNE_INLINE transfer process::receive(message& into, double until_s)
{
    // Another child of this process may keep the worker's end of the connection open, which hides
    // the worker's death.
    constexpr double look_after_s = 0.1;
    for (;;) {
        double const now_s = system_clocks().wall_s();
        bool const is_last = now_s + look_after_s >= until_s;
        transfer const t =
            wait_for(socket_.get(), POLLIN, is_last ? until_s : now_s + look_after_s);
        if (t == transfer::done) return worker::receive(socket_.get(), into, until_s);
        if (t == transfer::ended || is_last) return t;
        if (!has_ended()) continue;
        // It may have answered just before it ended.
        return wait_for(socket_.get(), POLLIN, now_s + 1e-3) == transfer::done
                   ? worker::receive(socket_.get(), into, until_s)
                   : transfer::ended;
    }
}

ATTUNE_INLINE int process::id() const noexcept { return child_->id(); }

ATTUNE_INLINE bool process::has_ended() noexcept { return child_->has_ended(); }

ATTUNE_INLINE ending process::end() noexcept
{
    if (child_->id() <= 0) return ending_;
    if (std::optional<int> const status = child_->end(end_within_s_)) {
        ending_.is_known = true;
        ending_.signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
        ending_.code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 0;
    }
    ending_.is_left = child_->is_left();
    socket_ = descriptor();
    return ending_;
}

ATTUNE_INLINE std::string process::log() const { return output_->text(); }

ATTUNE_INLINE void process::forget_log() noexcept { output_->forget(); }

} // namespace attune::inline ATTUNE_ABI::detail::worker
