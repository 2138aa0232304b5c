// attune/compile/clang/detail/worker_process.hpp - a worker of the compile server, and its jobs: prepare, compile.
// SPDX-License-Identifier: MIT
//
// Jobs run in the compile server (server_process.hpp), or in this process if no process can be
// started.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/clang/detail/frontend.hpp>
#include <attune/compile/clang/detail/headers.hpp>
#include <attune/compile/clang/detail/memory_room.hpp>
#include <attune/compile/clang/detail/server_frames.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// `prepare` makes the data that all variants of a kernel share: the arguments of the front end and
/// the parsed headers. `compile` makes the object of a variant.
enum class front_task : int { prepare, compile };

/// A job with its data, except the result of `prepare`.
struct front_job {
    front_task task{};
    std::string executable{}; ///< path that clang's driver takes as its executable
    std::string text{};
    unsigned long kernel_size{};
    std::string path{};
    std::vector<std::string> arguments{}, macros{};
    double limit_s{};
    std::string overlay{}, views{};
    int precompile{};

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.task, self.executable, self.text, self.kernel_size, self.path, self.arguments);
        visit(self.macros, self.limit_s, self.overlay, self.views, self.precompile);
    }
};

[[nodiscard]] inline front_job job_of(front_task task, std::string const& executable,
                                      attune_clang_request const& request)
{
    return {task,
            executable,
            {request.text, request.text_size},
            request.kernel_size,
            request.path,
            {request.arguments, request.arguments + request.argument_count},
            {request.macros, request.macros + request.macro_count},
            request.limit_s,
            request.overlay,
            request.views,
            request.precompile};
}

/// The request of a job. The job must outlive it.
class request_of {
public:
    explicit request_of(front_job const& job)
    {
        for (std::string const& argument : job.arguments)
            arguments_.push_back(argument.c_str());
        for (std::string const& macro : job.macros)
            macros_.push_back(macro.c_str());
        request_.text = job.text.data();
        request_.text_size = job.text.size();
        request_.kernel_size = job.kernel_size;
        request_.path = job.path.c_str();
        request_.arguments = arguments_.data();
        request_.argument_count = arguments_.size();
        request_.macros = macros_.data();
        request_.macro_count = macros_.size();
        request_.limit_s = job.limit_s;
        request_.overlay = job.overlay.c_str();
        request_.views = job.views.c_str();
        request_.precompile = job.precompile;
    }
    request_of(request_of const&) = delete;
    request_of& operator=(request_of const&) = delete;

    [[nodiscard]] attune_clang_request const& operator*() const noexcept { return request_; }

private:
    std::vector<char const*> arguments_{}, macros_{};
    attune_clang_request request_{};
};

/// The result of the task `prepare`.
struct prepared_kernel {
    std::vector<std::string> frontend{};             ///< empty: the driver refused the flags
    touched_files by_driver{};                       ///< files that the driver read or searched for
    std::unique_ptr<parsed_headers const> headers{}; ///< null: each variant parses its headers
    bool is_kept = false;                            ///< an earlier process parsed the headers
    std::string log{};

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.frontend, self.by_driver, self.headers, self.is_kept, self.log);
    }
    /// Parsed headers are valid for these arguments only.
    [[nodiscard]] std::string arguments_key() const
    {
        content_hash key;
        for (std::string const& argument : frontend)
            key.add(argument);
        return key.hex();
    }
};

/// Returns parsed headers as bytes that outlive the process.
[[nodiscard]] inline std::string headers_to_keep(prepared_kernel const& kernel)
{
    byte_writer out;
    out(kernel.arguments_key(), kernel.headers);
    return out.take();
}

/// @param kept  result of headers_to_keep()
/// @return  null if the headers are for other arguments, or `kept` has another form
[[nodiscard]] inline std::unique_ptr<parsed_headers const>
headers_in(std::string_view kept, std::string const& arguments_key)
{
    if (kept.empty()) return nullptr;
    try {
        byte_reader in(kept);
        std::string key;
        std::unique_ptr<parsed_headers const> headers;
        in(key);
        if (key == arguments_key) in(headers);
        return headers;
    } catch (std::runtime_error const&) {
        return nullptr;
    }
}

/// @param kept  result of headers_to_keep() in an earlier process. Used if the arguments are the
///              same and no file has changed
[[nodiscard]] inline prepared_kernel
prepare(std::string const& executable, attune_clang_request const& request, std::string_view kept)
{
    prepared_kernel kernel;
    llvm::raw_string_ostream log(kernel.log);
    kernel.frontend = frontend_arguments(executable, request, kernel.by_driver, log);
    if (kernel.frontend.empty() || request.precompile == 0) return kernel;
    kernel.headers = headers_in(kept, kernel.arguments_key());
    kernel.is_kept = kernel.headers && kernel.headers->usable();
    if (kernel.is_kept) return kernel;
    std::string ignored; // the compilation of the variant reports errors in headers
    llvm::raw_string_ostream quiet(ignored);
    captured_diagnostics diagnostics(quiet);
    auto const invocation =
        make_invocation(kernel.frontend, request, false, executable, *diagnostics.engine);
    if (!invocation) return kernel;
    touched_files touched;
    kernel.headers = parsed_headers::parse(
        *invocation, request, *diagnostics.engine,
        kernel_file_system(request, {request.text, request.text_size}, touched), touched);
    return kernel;
}

[[nodiscard]] inline clang_object compile_variant(std::string const& executable,
                                                  attune_clang_request const& request,
                                                  prepared_kernel const& kernel)
{
    clang_object made =
        compile_to_object(executable, kernel.frontend, kernel.headers.get(), request);
    if (made.precompiled) made.touched.add(kernel.headers->touched());
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail

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

struct thread_priority {
    bool has_processors = false; ///< true if the processors are known
    cpu_set_t processors{};
    int niceness = 0;
    bool is_batch = false;
};

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

/// Sets the place of this process, and the priority of the calling thread.
inline void enter(place const& there, thread_priority const& as)
{
    // Clang needs a current folder. A folder without headers replaces a removed one.
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

/// Limits a job's process to half of the free memory and at most 4 GB, without a core file.
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

class worker_process {
public:
    /// @param control  receives a byte after each job
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
        // The byte comes before the reply, because the program may send the next job after the
        // reply.
        if (::send(control_, "", 1, MSG_NOSIGNAL) < 0) return false;
        (void)send_frame(socket, frame_kind::reply, reply.append(reply_end));
        return true;
    }

    int control_;
    int errors_;
    std::string name_{}; ///< name of kernel_
    prepared_kernel kernel_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
