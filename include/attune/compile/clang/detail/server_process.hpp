// attune/compile/clang/detail/server_process.hpp - the compile server: gives jobs to workers, ends them.
// SPDX-License-Identifier: MIT
//
// The server is the module's own file, started as a program. The server holds initialised LLVM, and
// forks a worker if none is free. A compiler that crashes, overflows its stack, never ends or takes
// all memory ends only its worker, and several jobs run at the same time. A worker does several
// jobs, because a new worker takes 2,000 page faults. If an earlier job may have caused a worker's
// end, a new worker repeats the job.
#pragma once

#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/compile/clang/detail/worker_process.hpp>
#include <attune/core/version.hpp>

#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class server_process {
public:
    /// @param program  id of the process that started the server; the server's parent if that
    ///                 process adopts orphans
    server_process(int control, pid_t program)
        : control_(control)
        , program_(program)
    {
    }

    /// Serves until the program has closed its end of the socket. A server that the program has
    /// adopted also ends when it has no more jobs, because the program may wait for all children.
    void run()
    {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr);
        ended_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        while (ended_ >= 0 && wait()) {
        }
        for (auto const& [process, one] : workers_)
            ::kill(process, SIGKILL);
    }

private:
    using clock = std::chrono::steady_clock;
    struct worker {
        int control{};
        int errors{};
        int jobs{};      ///< number of started jobs
        int socket = -1; ///< socket of its job; -1: it waits for one
        double limit_s{};
        clock::time_point end{}; ///< end of its job, or of its wait
        bool is_late = false;
        bool is_over = false; ///< true: the worker must end
    };
    /// Jobs after which a worker ends: its end frees the memory of all parsed headers.
    static constexpr int most_jobs = 100;
    static constexpr std::chrono::seconds longest_rest{10}, adopted_rest{1};

    /// Process 1 and subreapers adopt orphans.
    [[nodiscard]] bool is_adopted() const { return ::getppid() == program_; }

    /// @return  false: the server must end
    [[nodiscard]] bool wait()
    {
        bool const may_end = workers_.empty() && is_adopted();
        std::vector<pollfd> files{{control_, POLLIN, 0}, {ended_, POLLIN, 0}};
        std::vector<pid_t> processes;
        int patience_ms = may_end ? 1000 : -1;
        for (auto const& [process, one] : workers_) {
            if (one.is_over) continue;
            processes.push_back(process);
            files.push_back({one.control, POLLIN, 0}); // the job is done
            files.push_back({one.socket, 0, 0});       // POLLHUP: the program no longer waits
            auto const left =
                std::chrono::duration_cast<std::chrono::milliseconds>(one.end - clock::now());
            int const ms = static_cast<int>(std::clamp<long>(left.count() + 1, 0, 1'000'000));
            patience_ms = patience_ms < 0 ? ms : std::min(patience_ms, ms);
        }
        if (::poll(files.data(), files.size(), patience_ms) == 0 && may_end) return false;
        for (std::size_t i = 0; i < processes.size(); ++i) {
            worker& one = workers_[processes[i]];
            char done = 0;
            if (::recv(one.control, &done, 1, MSG_DONTWAIT) == 1)
                rest(one);
            else if (one.socket < 0 && clock::now() >= one.end)
                end(one);
            else if (bool const is_late = clock::now() >= one.end;
                     is_late || (files[3 + 2 * i].revents & POLLHUP) != 0) {
                one.is_late = is_late;
                one.is_over = true;
                ::kill(processes[i], SIGKILL);
            }
        }
        if (files[1].revents != 0) reap();
        return files[0].revents == 0 || begin();
    }

    /// Marks a worker that has done its job and still writes the reply.
    void rest(worker& one) const
    {
        ::close(std::exchange(one.socket, -1));
        one.end = clock::now() + (is_adopted() ? adopted_rest : longest_rest);
        if (one.jobs >= most_jobs) end(one);
    }
    /// Makes the worker end after its reply.
    static void end(worker& one)
    {
        one.is_over = true;
        (void)::shutdown(one.control, SHUT_RDWR);
    }

    [[nodiscard]] bool begin()
    {
        job_order order;
        int socket = -1;
        if (!receive_order(control_, order, socket)) return false;
        if (socket < 0) return true;
        auto const give = [&](worker* one) {
            return one != nullptr && send_order(one->control, order, socket) == 0 ? one : nullptr;
        };
        worker* one = order.is_fresh ? nullptr : give(resting());
        if (one == nullptr) one = give(start());
        if (one == nullptr) {
            tell(socket, frame_kind::ending,
                 "error: no process for the compiler can be started: " +
                     std::string(std::strerror(errno)) + '\n');
            return true;
        }
        ++one->jobs;
        one->socket = socket;
        one->limit_s = order.limit_s;
        constexpr double grace_s = 1; // the optimiser stops by itself at the limit
        one->end = clock::now() +
                   std::chrono::duration_cast<clock::duration>(
                       std::chrono::duration<double>(std::min(order.limit_s, 1e6) + grace_s));
        return true;
    }

    [[nodiscard]] worker* resting()
    {
        for (auto& [process, one] : workers_)
            if (one.socket < 0 && !one.is_over) return &one;
        return nullptr;
    }

    /// @return  null, with errno, if no worker can start
    [[nodiscard]] worker* start()
    {
        int both[2];
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) return nullptr;
        worker made;
        made.control = both[0];
        made.errors = ::memfd_create("attune", MFD_CLOEXEC);
        pid_t const server = ::getpid();
        pid_t const process = ::fork();
        if (process == 0) {
            (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != server) ::_exit(1);
            (void)::prctl(PR_SET_NAME, "attune-job");
            for (auto const& other : workers_)
                close(other.second);
            for (int const file : {ended_, control_, made.control})
                ::close(file);
            sigset_t none;
            sigemptyset(&none);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            worker_process(both[1], made.errors).run();
        }
        ::close(both[1]);
        if (process > 0) return &(workers_[process] = made);
        int const why = errno;
        close(made);
        errno = why;
        return nullptr;
    }

    void reap()
    {
        signalfd_siginfo seen{};
        while (::read(ended_, &seen, sizeof seen) > 0) {
        }
        int status = 0;
        for (pid_t process = 0; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            auto const found = workers_.find(process);
            if (found == workers_.end()) continue;
            worker& one = found->second;
            int const socket = std::exchange(one.socket, -1);
            if (socket >= 0 && one.jobs > 1 && !one.is_late)
                tell(socket, frame_kind::again, {});
            else if (socket >= 0)
                tell(socket, frame_kind::ending, ending_of(one, status));
            close(one);
            workers_.erase(found);
        }
    }

    static void close(worker const& one)
    {
        for (int const file : {one.control, one.errors, one.socket})
            if (file >= 0) ::close(file);
    }

    static void tell(int socket, frame_kind kind, std::string const& text)
    {
        (void)send_frame(socket, kind, text);
        ::close(socket);
    }

    /// Returns how a worker ended before the end of its job, with LLVM's output.
    [[nodiscard]] static std::string ending_of(worker const& one, int status)
    {
        char said[4096];
        ssize_t const size = ::pread(one.errors, said, sizeof said, 0);
        std::string const all(said, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        std::string const line = all.substr(0, all.find('\n'));
        std::string text = "error: the compiler ";
        char number[32];
        std::snprintf(number, sizeof number, "%g s", one.limit_s);
        if (one.is_late)
            text = "error: compiling took longer than " + std::string(number);
        else if (WIFSIGNALED(status))
            text += "crashed: signal " + std::to_string(WTERMSIG(status)) + " (" +
                    ::strsignal(WTERMSIG(status)) + ")";
        else
            text += "gave up";
        if (!one.is_late && !line.empty()) text += ": " + line;
        return text + '\n' + all;
    }

    int control_;
    pid_t program_;
    int ended_ = -1;
    std::map<pid_t, worker> workers_{};
};

/// Compiles a small text, so that LLVM's first initialisation happens before the forks.
inline void warm_up(std::string const& executable)
{
    constexpr std::string_view text =
        "int f(int const* x, int n)\n{\n    int s = 0;\n    for (int i "
        "= 0; i < n; ++i)\n        s += x[i];\n    return s;\n}\n";
    char const* const arguments[] = {"-O2"};
    attune_clang_request request{};
    request.text = text.data();
    request.text_size = request.kernel_size = text.size();
    request.path = "/attune-overlay/warm.cpp";
    request.arguments = arguments;
    request.argument_count = 1;
    request.limit_s = 10;
    request.overlay = request.views = "";
    (void)compile_variant(executable, request, prepare(executable, request, {}));
}

/// The module's main function as a program.
/// @param greeting  of this file
/// @return  the exit status
inline int server_main(int count, char** arguments, server_greeting greeting,
                       std::string const& executable)
{
    if (count != 2 || std::string_view(arguments[1]) != "attune-compile-server") {
        std::fputs("libattune_clang.so: attune opens this file; it is no program to start\n",
                   stderr);
        return 2;
    }
    constexpr int control = 3;
    rlimit open_files{};
    ::getrlimit(RLIMIT_NOFILE, &open_files);
    // With glibc before 2.34, spawn() could not close inherited files.
    int const end = static_cast<int>(std::min<rlim_t>(open_files.rlim_cur, 4096));
    for (int file = control + 1; file < end; ++file)
        ::close(file);
    // The program waits for its child, which ends here; init adopts the server.
    pid_t const program = ::getppid();
    if (::fork() != 0) ::_exit(0);
    (void)::prctl(PR_SET_NAME, "attune-clang");
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    for (auto const which : {RLIMIT_NOFILE, RLIMIT_FSIZE}) {
        rlimit limit{};
        ::getrlimit(which, &limit);
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(which, &limit);
    }
    if (::send(control, &greeting, sizeof greeting, MSG_NOSIGNAL) < 0) return 1;
    llvm::install_out_of_memory_new_handler();
    if (::chdir("/") != 0) return 1; // Clang ends the process if the program's folder is gone
    warm_up(executable);
    server_process(control, program).run();
    return 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
