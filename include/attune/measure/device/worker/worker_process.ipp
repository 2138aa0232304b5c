// attune/measure/device/worker/worker_process.ipp - starts a worker and ends it; serves requests in the worker.
// SPDX-License-Identifier: MIT
//
// posix_spawn() does not copy page tables, unlike fork(): a program that uses CUDA has many.
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/measure/device/worker/worker_arrays.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/child_side.hpp>
#include <attune/measure/sandbox/detail/started_child.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// The state of a worker between messages.
class served_bench {
public:
    explicit served_bench(bench_maker const& make)
        : make_(make)
    {
    }

    [[nodiscard]] message answer(message& asked)
    {
        message out;
        out.kind = message_kind::answer;
        message_writer text;
        message_reader from(asked.text);
        if (asked.kind == message_kind::begin) {
            out.kind = begin(asked, from, text);
        } else if (asked.kind == message_kind::service) {
            serve_once(from, text);
        } else {
            if (bench_ == nullptr) throw damaged_message();
            ask(asked, from, out, text);
            if (bench_->is_spoilt()) out.kind = message_kind::last_answer;
        }
        out.text = text.take();
        return out;
    }

private:
    [[nodiscard]] message_kind begin(message& asked, message_reader& from, message_writer& text)
    {
        bench_.reset();
        arrays_.reset();
        beginning how = get_beginning(from);
        auto const driver = open_driver_at(how.driver_path);
        how.call.ordinal = device_at_bus(*driver, how.bus);
        arrays_ = std::make_unique<received_arrays>(driver, how, asked);
        if (!arrays_->why_unreachable().empty()) {
            text.put_text(arrays_->why_unreachable());
            arrays_.reset();
            return message_kind::unreachable;
        }
        bench_ = make_(driver, how.call, how.options);
        arrays_->release();
        return message_kind::ready;
    }

    void ask(message& asked, message_reader& from, message& out, message_writer& text)
    {
        switch (asked.kind) {
        case message_kind::establish: {
            auto const limit_s = from.get<double>();
            device_variant const trusted = get_variant(from);
            put(text, bench_->establish(trusted, get_arrays(asked, from), limit_s));
            return;
        }
        case message_kind::first_run: {
            auto const limit_s = from.get<double>();
            put(text, bench_->first_run(get_variant(from), limit_s));
            return;
        }
        case message_kind::contents: {
            std::vector<std::byte> const held[] = {bench_->contents(from.get<std::size_t>())};
            put_arrays(out, text, held);
            return;
        }
        case message_kind::time: {
            auto const stop_above_s = from.get<double>();
            auto const limit_s = from.get<double>();
            timing_record taken;
            put_outcome(text, bench_->time(get_variant(from), stop_above_s, limit_s, &taken));
            put(text, taken);
            return;
        }
        case message_kind::compare: {
            auto const limit_s = from.get<double>();
            std::vector<device_variant> tried(from.get_count());
            for (device_variant& one : tried)
                one = get_variant(from);
            put(text, bench_->compare(tried, limit_s));
            return;
        }
        default:
            throw damaged_message();
        }
    }

    bench_maker const& make_;
    std::unique_ptr<received_arrays> arrays_{};
    std::unique_ptr<device_bench> bench_{};
};

ATTUNE_INLINE void serve(int socket, bench_maker const& make) noexcept
{
    served_bench bench(make);
    for (;;) {
        message asked;
        message answer;
        try {
            if (receive(socket, asked, for_ever) != transfer::done) return;
            answer = bench.answer(asked);
        } catch (std::exception const&) {
            message_writer text;
            put_thrown(text, std::current_exception());
            answer = message{message_kind::thrown, text.take(), descriptor(), 0};
        }
        if (send(socket, answer, for_ever) != transfer::done) return;
    }
}

/// Ends this process when the other end of its connection is closed, even while its other threads
/// work. PR_SET_PDEATHSIG would also end it with the parent's thread that started it.
inline void* end_with_program(void* data) noexcept
{
    pollfd one{static_cast<int>(reinterpret_cast<std::intptr_t>(data)), 0, 0};
    while (::poll(&one, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
}

inline void watch_program(int socket) noexcept
{
    // Signals go to the thread that runs variants.
    attune::detail::all_signals_blocked const quietly;
    pthread_t watcher{};
    ::pthread_create(&watcher, nullptr, end_with_program,
                     reinterpret_cast<void*>(std::intptr_t{socket}));
}

ATTUNE_INLINE void live_as_worker(int socket, int parent, bench_maker const& make) noexcept
{
    // 1 byte: less than any core file. If core_pattern is a pipe, Linux ignores a limit of 0 and
    // would pipe a process with a device's mappings; with 1 it dumps nothing. An inherited 0 cannot
    // be raised.
    rlimit const no_core{1, 1};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (::getppid() == parent) {
        watch_program(socket);
        attune::detail::leave_before_other_handlers();
        serve(socket, make);
    }
    ::_exit(0);
}

/// Absolute path of the object that contains the door; empty for the executable.
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

/// Captures the worker's output. Both processes share the file's position.
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
        // The worker may have answered just before it ended.
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
