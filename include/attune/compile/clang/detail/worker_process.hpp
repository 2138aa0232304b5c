// attune/compile/clang/detail/worker_process.hpp - a worker of the compile server: it does one job after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/front_job.hpp>
#include <attune/compile/clang/detail/own_stack.hpp>
#include <attune/compile/clang/detail/packed.hpp>
#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/core/posix/memory.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace attune::inline ATTUNE_ABI::detail {

/// The program's current folder and environment variables. A compilation depends on them besides
/// the job.
struct place {
    std::string folder{};
    std::vector<std::string> variables{};

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.folder, self.variables);
    }
    friend bool operator==(place const&, place const&) = default;
};

[[nodiscard]] inline place place_here()
{
    place out;
    char* const folder = ::getcwd(nullptr, 0);
    out.folder = folder != nullptr ? folder : "";
    std::free(folder);
    for (char** one = environ; one != nullptr && *one != nullptr; ++one)
        out.variables.emplace_back(*one);
    return out;
}

/// A thread's processors and priority.
struct thread_priority {
    bool has_processors = false; ///< they are known
    cpu_set_t processors{};
    int niceness = 0;
    bool is_batch = false;
};

/// The priority of the calling thread.
[[nodiscard]] inline thread_priority priority_here()
{
    thread_priority out;
    out.has_processors = ::sched_getaffinity(0, sizeof out.processors, &out.processors) == 0;
    errno = 0;
    int const niceness = ::getpriority(PRIO_PROCESS, 0); // of this thread alone, on Linux
    out.niceness = errno == 0 ? niceness : 0;
    out.is_batch = ::sched_getscheduler(0) == SCHED_BATCH;
    return out;
}

/// Takes the place for this process, and the priority for the calling thread.
inline void enter(place const& there, thread_priority const& as)
{
    // Clang needs a current folder. In place of a removed one, it gets one without headers.
    if (::chdir(there.folder.empty() ? "/proc/self/task" : there.folder.c_str()) != 0)
        throw std::runtime_error("the folder " + there.folder + " cannot be entered");
    ::clearenv();
    for (std::string const& variable : there.variables)
        if (std::size_t const at = variable.find('='); at != std::string::npos)
            ::setenv(variable.substr(0, at).c_str(), variable.c_str() + at + 1, 1);
    if (as.has_processors) (void)::sched_setaffinity(0, sizeof as.processors, &as.processors);
    (void)::setpriority(PRIO_PROCESS, 0, as.niceness);
    sched_param const none{};
    if (as.is_batch) (void)::sched_setscheduler(0, SCHED_BATCH, &none);
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

/// Does the jobs of one worker.
class worker_process {
public:
    /// @param control  a byte is written to it when a job is done
    worker_process(int control, int errors)
        : control_(control)
        , errors_(errors)
    {
    }

    /// Works until the server has closed its end of the socket.
    [[noreturn]] void run()
    {
        constexpr std::size_t stack_bytes = std::size_t{256} << 20;
        (void)::dup2(errors_, STDERR_FILENO);
        job_order order;
        int socket = -1;
        while (receive_order(control_, order, socket)) {
            (void)::ftruncate(errors_, 0);
            (void)::lseek(errors_, 0, SEEK_SET);
            limit_job(stack_bytes);
            bool is_done = false;
            on_own_stack(stack_bytes, [&] {
                try {
                    is_done = do_job(socket);
                } catch (std::exception const& thrown) {
                    std::fprintf(stderr, "%s\n", thrown.what());
                }
            });
            if (!is_done) ::_exit(1);
            ::close(socket);
        }
        ::_exit(0); // objects of LLVM need no destructor
    }

private:
    [[nodiscard]] bool do_job(int socket)
    {
        frame_kind kind{};
        std::string around;
        std::string bytes;
        std::string name;
        if (!receive_frame(socket, kind, around) || !receive_frame(socket, kind, bytes) ||
            !receive_frame(socket, kind, name))
            return false;
        place there;
        thread_priority as;
        byte_reader in(around);
        in(there, as);
        enter(there, as);
        auto const job = unpacked<front_job>(bytes);
        request_of const request(job);
        std::string given;
        if (name != name_ &&
            (!send_frame(socket, frame_kind::wanted, {}) || !receive_frame(socket, kind, given)))
            return false;
        std::string reply;
        if (job.task == front_task::prepare) {
            kernel_ = prepare(job.executable, *request, given);
            reply = packed(kernel_);
        } else {
            if (name != name_) kernel_ = unpacked<prepared_kernel>(given);
            reply = packed(compile_variant(job.executable, *request, kernel_));
        }
        name_ = name;
        // Before the reply, after which the program may send the next job.
        if (::send(control_, "", 1, MSG_NOSIGNAL) < 0) return false;
        (void)send_frame(socket, frame_kind::reply, reply.append(reply_end));
        return true;
    }

    int control_;
    int errors_;
    std::string name_{}; ///< of kernel_
    prepared_kernel kernel_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
