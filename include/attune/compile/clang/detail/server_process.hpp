// attune/compile/clang/detail/server_process.hpp - the compile server: a process of its own for each job of Clang.
// SPDX-License-Identifier: MIT
//
// The server is the module's own file, started as a program. It holds LLVM, initialised, and forks
// for each job. So a compiler that crashes, overflows its stack, runs for ever or takes all memory
// ends one job; and several jobs run at once.
#pragma once

#include <attune/compile/clang/detail/front_job.hpp>
#include <attune/compile/clang/detail/own_stack.hpp>
#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/core/posix/memory.hpp>
#include <attune/core/version.hpp>

#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <vector>

extern char** environ;

namespace attune::inline ATTUNE_ABI::detail {

/// The program's current folder and environment variables. A compilation depends on them besides
/// the job.
[[nodiscard]] inline std::string place_here()
{
    byte_writer out;
    char* const folder = ::getcwd(nullptr, 0);
    out.text(folder != nullptr ? folder : "");
    std::free(folder);
    std::vector<std::string_view> variables;
    for (char** one = environ; one != nullptr && *one != nullptr; ++one)
        variables.emplace_back(*one);
    out.texts(variables);
    return out.take();
}

/// The calling thread's processors and priority.
[[nodiscard]] inline std::string priority_here()
{
    byte_writer out;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    bool const is_known = ::sched_getaffinity(0, sizeof processors, &processors) == 0;
    out.number(is_known);
    out.number(processors);
    errno = 0;
    int const niceness = ::getpriority(PRIO_PROCESS, 0); // of this thread alone, on Linux
    out.number(errno == 0 ? niceness : 0);
    out.number(::sched_getscheduler(0) == SCHED_BATCH);
    return out.take();
}

/// Gives this process what place_here() and priority_here() told.
inline void enter_surroundings(std::string_view bytes)
{
    byte_reader in(bytes);
    std::string const folder(in.text());
    // Clang needs a current folder. In place of a removed one, it gets one without headers.
    if (::chdir(folder.empty() ? "/proc/self/task" : folder.c_str()) != 0)
        throw std::runtime_error("the folder " + folder + " cannot be entered");
    ::clearenv();
    for (std::string const& variable : in.texts())
        if (std::size_t const at = variable.find('='); at != std::string::npos)
            ::setenv(variable.substr(0, at).c_str(), variable.c_str() + at + 1, 1);
    bool const is_known = in.number<bool>();
    auto const processors = in.number<cpu_set_t>();
    if (is_known) (void)::sched_setaffinity(0, sizeof processors, &processors);
    (void)::setpriority(PRIO_PROCESS, 0, in.number<int>());
    sched_param const none{};
    if (in.number<bool>()) (void)::sched_setscheduler(0, SCHED_BATCH, &none);
}

/// Sets the limits of a job's process: half of the free memory and at most 4 GB, no core file.
inline void limit_job(std::size_t stack_bytes)
{
    constexpr double least = 1e9;
    constexpr double most = 4e9;
    double const spare = spare_memory_bytes();
    double const bytes = std::isfinite(spare) ? std::clamp(spare / 2, least, most) : most;
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes) + stack_bytes);
    (void)::setrlimit(RLIMIT_DATA, &limit);
    rlimit const none{0, 0};
    (void)::setrlimit(RLIMIT_CORE, &none);
}

/// The process of one job. Does not return.
[[noreturn]] inline void run_job(int socket, int errors)
{
    constexpr std::size_t stack_bytes = std::size_t{256} << 20;
    (void)::dup2(errors, STDERR_FILENO);
    limit_job(stack_bytes);
    int status = 1;
    on_own_stack(stack_bytes, [&] {
        try {
            frame_kind kind{};
            std::string around;
            std::string job;
            std::string given;
            if (!receive_frame(socket, kind, around) || !receive_frame(socket, kind, job) ||
                !receive_frame(socket, kind, given))
                return;
            enter_surroundings(around);
            if (send_frame(socket, frame_kind::reply, do_job(job, given).append(reply_end)))
                status = 0;
        } catch (std::exception const& thrown) {
            std::fprintf(stderr, "%s\n", thrown.what());
        }
    });
    ::_exit(status); // objects of LLVM need no destructor
}

/// The server.
class server_process {
public:
    explicit server_process(int control)
        : control_(control)
    {
    }

    /// Serves until the program has closed its end of the socket.
    void run()
    {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr);
        ended_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        while (ended_ >= 0 && wait()) {
        }
        for (auto const& [process, one] : jobs_)
            ::kill(process, SIGKILL);
    }

private:
    using clock = std::chrono::steady_clock;
    struct job {
        int socket{};
        int errors{};
        double limit_s{};
        clock::time_point end{};
        bool is_late = false;
    };

    /// @return  false: the program has ended
    [[nodiscard]] bool wait()
    {
        std::vector<pollfd> files{{control_, POLLIN, 0}, {ended_, POLLIN, 0}};
        std::vector<pid_t> processes{0, 0};
        int patience_ms = -1;
        for (auto const& [process, one] : jobs_) {
            files.push_back({one.socket, 0, 0}); // POLLHUP: the program does not wait any more
            processes.push_back(process);
            if (one.is_late) continue;
            auto const left =
                std::chrono::duration_cast<std::chrono::milliseconds>(one.end - clock::now());
            int const ms = static_cast<int>(std::clamp<long>(left.count() + 1, 0, 1'000'000));
            patience_ms = patience_ms < 0 ? ms : std::min(patience_ms, ms);
        }
        (void)::poll(files.data(), files.size(), patience_ms);
        for (std::size_t i = 2; i < files.size(); ++i) {
            job& one = jobs_[processes[i]];
            bool const is_late = clock::now() >= one.end;
            if ((files[i].revents & POLLHUP) == 0 && !is_late) continue;
            one.is_late |= is_late;
            ::kill(processes[i], SIGKILL);
        }
        if (files[1].revents != 0) reap();
        return files[0].revents == 0 || begin();
    }

    [[nodiscard]] bool begin()
    {
        job_order order;
        job made;
        if (!receive_order(control_, order, made.socket)) return false;
        if (made.socket < 0) return true;
        made.errors = ::memfd_create("attune", MFD_CLOEXEC);
        made.limit_s = order.limit_s;
        constexpr double grace_s = 1; // the optimiser stops by itself at the limit
        made.end = clock::now() +
                   std::chrono::duration_cast<clock::duration>(
                       std::chrono::duration<double>(std::min(order.limit_s, 1e6) + grace_s));
        pid_t const server = ::getpid();
        pid_t const process = ::fork();
        if (process == 0) {
            (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != server) ::_exit(1);
            for (auto const& other : jobs_) {
                ::close(other.second.socket);
                ::close(other.second.errors);
            }
            ::close(ended_);
            ::close(control_);
            sigset_t none;
            sigemptyset(&none);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            run_job(made.socket, made.errors);
        }
        if (process > 0) return jobs_[process] = made, true;
        tell(made,
             "error: no process for the compiler can be started: " +
                 std::string(std::strerror(errno)) + '\n');
        return true;
    }

    void reap()
    {
        signalfd_siginfo seen{};
        while (::read(ended_, &seen, sizeof seen) > 0) {
        }
        int status = 0;
        for (pid_t process = 0; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            auto const found = jobs_.find(process);
            if (found == jobs_.end()) continue;
            tell(found->second, ending_of(found->second, status));
            jobs_.erase(found);
        }
    }

    /// Writes the ending, which counts where the job's process gave no reply, and forgets the job.
    static void tell(job const& one, std::string const& text)
    {
        (void)send_frame(one.socket, frame_kind::ending, text);
        ::close(one.socket);
        ::close(one.errors);
    }

    /// How a job without a reply ended, with what LLVM wrote.
    [[nodiscard]] static std::string ending_of(job const& one, int status)
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
    int ended_ = -1;
    std::map<pid_t, job> jobs_{};
};

/// Compiles a small text, so that what LLVM initialises at its first use is there before the forks.
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
    std::string const given = do_job(job_bytes(front_task::prepare, executable, request), {});
    (void)do_job(job_bytes(front_task::compile, executable, request), given);
}

/// The module's main function as a program.
/// @param greeting  of this file
/// @return  the exit status
inline int
server_main(int count, char** arguments, server_greeting greeting, std::string const& executable)
{
    if (count != 2 || std::string_view(arguments[1]) != "attune-compile-server") {
        std::fputs("libattune_clang.so: attune opens this file; it is no program to start\n",
                   stderr);
        return 2;
    }
    constexpr int control = 3;
    rlimit open_files{};
    ::getrlimit(RLIMIT_NOFILE, &open_files);
    // Where spawn() cannot close them (glibc before 2.34).
    int const end = static_cast<int>(std::min<rlim_t>(open_files.rlim_cur, 4096));
    for (int file = control + 1; file < end; ++file)
        ::close(file);
    // The program waits for its child, which ends here; init waits for the server.
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
    if (::chdir("/") != 0) return 1; // Clang ends the process where the program's folder is gone
    warm_up(executable);
    server_process(control).run();
    return 0;
}

} // namespace attune::inline ATTUNE_ABI::detail
