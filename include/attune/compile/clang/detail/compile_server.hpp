// attune/compile/clang/detail/compile_server.hpp - starts the compile server and gives it jobs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <utility>

extern char** environ;

namespace attune::inline ATTUNE_ABI::detail {

/// The bytes of a reply, or the way the job's process ended.
struct job_answer {
    std::string bytes{};
    std::string ending{}; ///< "error: the compiler crashed: signal 11 (Segmentation fault)\n..."
};

/// The message to the server for a job.
struct job_input {
    std::string around{}; ///< a place and a thread_priority
    std::string job{};    ///< a front_job
    std::string name{};   ///< name of `given`; for the task `prepare`: name of the result
    /// For the task `compile`: the result of the task `prepare`. For `prepare`: parsed headers from
    /// the cache, or nothing. ask() sends it to a worker that does not have it.
    std::string_view given{};
};

/// Thrown if attune_clang_request::is_cut() ended a job.
struct job_was_cut {};

/// Thrown if the server is unreachable, perhaps only for some time, such as without free
/// descriptors.
struct no_server_now {
    std::string why; ///< "Too many open files"
};

/// A program's connection to its compile server. The server starts with the first job, and ends
/// with the program and its forked children, which share it. Thread-safe.
class compile_server {
public:
    /// @param module    the server's file
    /// @param expected  greeting of a server that compiles for this process
    compile_server(std::string module, server_greeting const& expected)
        : module_(std::move(module))
        , expected_(expected)
    {
    }

    /// Runs one job in the server.
    /// @param limit_s  wall seconds
    /// @param is_cut   called twenty times a second; may be null
    /// @return  empty if this process can never have a server: the module is no program, or the
    ///          server would run on another processor, as under an emulator
    /// Errors   job_was_cut, no_server_now
    [[nodiscard]] std::optional<job_answer> run(job_input const& given, double limit_s,
                                                int (*is_cut)())
    {
        job_order order{limit_s};
        for (int attempt = 0; attempt < 2; ++attempt) { // the first server may have been killed
            std::shared_ptr<descriptor> const control = started();
            if (!control) return {};
            frame_kind kind{};
            std::string bytes;
            if (!ask(*control, order, given, is_cut, kind, bytes)) {
                std::lock_guard const lock(mutex_);
                if (control_ == control) control_.reset();
            } else if (kind == frame_kind::again) {
                order.is_fresh = true;
            } else if (kind == frame_kind::ending) {
                return job_answer{{}, std::move(bytes)};
            } else if (!bytes.ends_with(reply_end)) {
                return job_answer{{}, "error: the compiler was ended while it answered\n"};
            } else {
                bytes.resize(bytes.size() - reply_end.size());
                return job_answer{std::move(bytes), {}};
            }
        }
        throw no_server_now{"the compile server ended while it compiled, twice"};
    }

private:
    /// @param kind  receives the kind of the answer, whose bytes may be incomplete
    /// @return  false if the server has gone or does not answer
    [[nodiscard]] static bool ask(descriptor const& control, job_order const& order,
                                  job_input const& input, int (*is_cut)(), frame_kind& kind,
                                  std::string& bytes)
    {
        auto [here, there] = socket_pair(SOCK_STREAM);
        if (send_order(control.get(), order, there.get()) != 0) return false;
        there.close();
        // With this limit, a stopped server blocks the thread for a bounded time.
        double const patience_s = std::min(order.limit_s, 1e6) + 30;
        timeval const patience{static_cast<time_t>(patience_s), 0};
        for (int const which : {SO_SNDTIMEO, SO_RCVTIMEO})
            (void)::setsockopt(here.get(), SOL_SOCKET, which, &patience, sizeof patience);
        // If the worker ends before it has read all, its ending gives the reason.
        (void)(send_frame(here.get(), frame_kind::input, input.around) &&
               send_frame(here.get(), frame_kind::input, input.job) &&
               send_frame(here.get(), frame_kind::input, input.name));
        for (;;) {
            if (!wait_for_answer(here.get(), patience_s, is_cut)) return false;
            kind = {};
            bool const is_whole = receive_frame(here.get(), kind, bytes);
            if (kind != frame_kind::wanted) return is_whole || kind == frame_kind::reply;
            (void)send_frame(here.get(), frame_kind::input, input.given);
        }
    }

    /// @param patience_s  longest wait, for a stopped server
    /// @return  false if there is no answer within that time
    [[nodiscard]] static bool wait_for_answer(int socket, double patience_s, int (*is_cut)())
    {
        using clock = std::chrono::steady_clock;
        auto const end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                            std::chrono::duration<double>(patience_s));
        while (clock::now() < end) {
            pollfd file{socket, POLLIN, 0};
            if (::poll(&file, 1, 50) > 0) return true;
            if (is_cut != nullptr && is_cut() != 0) throw job_was_cut{}; // the server ends the job
        }
        return false;
    }

    /// Returns the control socket of the server. Starts the server if there is none.
    [[nodiscard]] std::shared_ptr<descriptor> started()
    {
        std::lock_guard const lock(mutex_);
        // If the program closed the socket, its number may belong to another file: never close it.
        if (control_ && !is_still_ours())
            new std::shared_ptr<descriptor>(std::exchange(control_, nullptr));
        if (control_ && owner_ != owner_here()) control_.reset();
        if (control_ || is_unfit_) return control_;
        auto [here, there] = socket_pair(SOCK_SEQPACKET);
        is_unfit_ = !here; // this process is not allowed to make sockets
        if (is_unfit_) return nullptr;
        spawn_request request;
        request.path = loader_path();
        request.arguments = {"attune-clang", module_, "attune-compile-server"};
        for (char** one = environ; one != nullptr && *one != nullptr; ++one)
            if (!std::string_view(*one).starts_with("LD_PRELOAD="))
                request.environment.emplace_back(*one);
        request.files = {{3, there.get()}, {0, -1}, {1, -1}, {2, -1}};
        request.close_from = 4;
        spawn_outcome const child = spawn(std::move(request));
        if (child.error_code == EAGAIN) return nullptr; // no process can start now
        refuse_for_now(child.error_code);
        is_unfit_ = child.process < 0; // this process is not allowed to start programs
        if (is_unfit_) return nullptr;
        there.close();
        timeval const patience{20, 0};
        for (int const which : {SO_SNDTIMEO, SO_RCVTIMEO})
            (void)::setsockopt(here.get(), SOL_SOCKET, which, &patience, sizeof patience);
        server_greeting greeting;
        bool const has_begun =
            receive_bytes(here.get(), reinterpret_cast<char*>(&greeting), sizeof greeting);
        if (!has_begun) ::kill(child.process, SIGKILL);
        int status = 0;
        ::pid_t ended = -1;
        while ((ended = ::waitpid(child.process, &status, 0)) < 0 && errno == EINTR) {
        }
        constexpr int most_failures = 3; // a limit of this process may be the cause
        constexpr int lacks_library = 127;
        // Another thread of the program may have taken the status: nothing says that a later
        // start has a better end.
        bool const is_hopeless =
            ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == lacks_library) ||
            (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS); // a filter forbids system calls
        if (!has_begun && !is_hopeless && ++failures_ < most_failures)
            throw no_server_now{module_ + " did not start as a program"};
        is_unfit_ = !has_begun || std::memcmp(&greeting, &expected_, sizeof greeting) != 0;
        if (is_unfit_) return nullptr;
        owner_ = owner_here();
        identity_ = file_identity(here.get());
        return control_ = std::make_shared<descriptor>(std::move(here));
    }

    [[nodiscard]] bool is_still_ours() const { return file_identity(control_->get()) == identity_; }
    /// Returns the device and the number of an open file.
    [[nodiscard]] static std::array<unsigned long, 2> file_identity(int file)
    {
        struct ::stat found{};
        if (::fstat(file, &found) != 0) return {};
        return {found.st_dev, found.st_ino};
    }
    /// Returns user, group and root folder. A server with another one would read other files.
    [[nodiscard]] static std::array<unsigned long, 4> owner_here()
    {
        struct ::stat root{};
        (void)::stat("/", &root);
        return {::geteuid(), ::getegid(), root.st_dev, root.st_ino};
    }

    /// Errors   no_server_now, for an error that may end, such as a lack of memory
    static void refuse_for_now(int error_code)
    {
        for (int const passing : {EMFILE, ENFILE, ENOMEM, ENOBUFS})
            if (error_code == passing) throw no_server_now{std::strerror(error_code)};
    }

    /// Returns two connected sockets, with numbers above 2 if such numbers are free. Programs that
    /// this process starts do not inherit the sockets.
    /// @return  two closed files if this process is not allowed to make sockets
    /// Errors   no_server_now
    [[nodiscard]] static std::pair<descriptor, descriptor> socket_pair(int type)
    {
        int both[2];
        if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, both) != 0) {
            refuse_for_now(errno);
            return {};
        }
        auto const raised = [](int number) {
            descriptor low(number);
            descriptor high(::fcntl(number, F_DUPFD_CLOEXEC, 10));
            return high ? std::move(high) : std::move(low);
        };
        return {raised(both[0]), raised(both[1])};
    }

    /// Returns true if this file has a start address: it was linked with the start file of
    /// programs.
    [[nodiscard]] static bool is_program()
    {
        Dl_info found{};
        static char const here = 0;
        ElfW(Ehdr) head{};
        if (::dladdr(&here, &found) == 0 || found.dli_fbase == nullptr) return false;
        std::memcpy(&head, found.dli_fbase, sizeof head);
        return head.e_entry != 0;
    }

    /// Returns the path of the dynamic loader: "/lib64/ld-linux-x86-64.so.2".
    [[nodiscard]] static std::string loader_path()
    {
        Dl_info found{};
        auto const base = static_cast<std::uintptr_t>(_r_debug.r_ldbase);
        return ::dladdr(reinterpret_cast<void*>(base), &found) != 0 && found.dli_fname != nullptr
                   ? found.dli_fname
                   : "";
    }

    std::string module_;
    server_greeting expected_;
    std::mutex mutex_{};
    std::shared_ptr<descriptor> control_{};
    std::array<unsigned long, 4> owner_{};    ///< owner_here() at the start of the server
    std::array<unsigned long, 2> identity_{}; ///< file_identity() of control_
    bool is_unfit_ = !is_program();
    int failures_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
