// attune/measure/device/worker/worker_door.ipp - the worker's test of its parent, and the parent's answer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::worker {

using challenge = std::array<char, 16>;

/// Wall seconds to load a program with its libraries, or to wait for a stopped or busy parent.
inline constexpr double door_limit_s = 30;

/// Set before main(), or when an object with a door is loaded.
inline std::atomic<void (*)() noexcept> door_of_this_program = nullptr;

ATTUNE_INLINE std::uintptr_t require_worker_door()
{
    if (attune::detail::is_privileged_start())
        throw error("no worker process can be started",
                    "this program has privileges that its caller lacks",
                    "let variants run in this process, or tune without those privileges");
    auto* const door = door_of_this_program.load();
    if (door == nullptr)
        throw error("no worker process can be started",
                    "nothing in this program holds the door of workers",
                    "call attune::hold_worker_door() in it, as attune::tuned does");
    return reinterpret_cast<std::uintptr_t>(door);
}

/// Returns true if `process` made `socket` with this user.
[[nodiscard]] inline bool is_of_process(int socket, pid_t process) noexcept
{
    ucred maker{};
    socklen_t bytes = sizeof maker;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &bytes) == 0 &&
           bytes == sizeof maker && maker.pid == process && maker.uid == ::geteuid();
}

/// Returns true if `process` runs the same file as this process.
[[nodiscard]] inline bool runs_this_file(pid_t process)
{
    struct stat here{};
    struct stat there{};
    std::string const path = "/proc/" + std::to_string(process) + "/exe";
    return ::stat("/proc/self/exe", &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/// The challenge that arrives in time; empty unless it is complete and `process` sent it.
[[nodiscard]] inline std::optional<challenge> answer_of(int socket, pid_t process)
{
    double const until_s = system_clocks().wall_s() + door_limit_s;
    if (wait_for(socket, POLLIN, until_s) != transfer::done) return {};
    challenge got{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> room{};
    iovec part{got.data(), got.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = room.data();
    header.msg_controllen = room.size();
    ssize_t const bytes = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    cmsghdr const* const who = bytes > 0 ? CMSG_FIRSTHDR(&header) : nullptr;
    if (bytes != static_cast<ssize_t>(got.size()) || who == nullptr ||
        who->cmsg_level != SOL_SOCKET || who->cmsg_type != SCM_CREDENTIALS ||
        who->cmsg_len != CMSG_LEN(sizeof(ucred)))
        return {};
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(who), sizeof sender);
    if (sender.pid != process || sender.uid != ::geteuid()) return {};
    return got;
}

/// @return  null if the parent passes all tests, else the failed test as text
[[nodiscard]] inline char const* what_parent_lacks(std::string const& named)
{
    pid_t const parent = ::getppid();
    if (parse_number<pid_t>(named) != parent) return "it does not name the parent process";
    if (::getuid() != ::geteuid() || ::getgid() != ::getegid())
        return "the program runs as one user for another";
    if (!is_of_process(worker_socket, parent) || !is_of_process(door_socket, parent))
        return "its sockets were not made by the parent process";
    if (!runs_this_file(parent)) return "the parent process runs another program";
    int const on = 1;
    challenge asked{};
    if (::setsockopt(door_socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
        ::getrandom(asked.data(), asked.size(), 0) != static_cast<ssize_t>(asked.size()) ||
        ::send(door_socket, asked.data(), asked.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
            static_cast<ssize_t>(asked.size()))
        return "the parent process cannot be asked";
    if (answer_of(door_socket, parent) != asked) return "the parent process has not answered";
    if (!runs_this_file(parent)) return "the parent process runs another program by now";
    return nullptr;
}

ATTUNE_INLINE void prove_to_worker(int socket, int worker)
{
    auto const has_ended = [&] {
        siginfo_t about{};
        return ::waitid(P_PID, static_cast<id_t>(worker), &about, WEXITED | WNOHANG | WNOWAIT) !=
                   0 ||
               about.si_pid == worker;
    };
    double const until_s = system_clocks().wall_s() + door_limit_s;
    for (;;) {
        double const now_s = system_clocks().wall_s();
        // Another child of this process may keep the worker's end open.
        transfer const t = wait_for(socket, POLLIN, std::min(until_s, now_s + 0.05));
        challenge asked{};
        if (t == transfer::done && ::recv(socket, asked.data(), asked.size(), MSG_DONTWAIT) ==
                                       static_cast<ssize_t>(asked.size()))
            (void)!::send(socket, asked.data(), asked.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        else if (t == transfer::late && now_s < until_s && !has_ended())
            continue;
        return;
    }
}

ATTUNE_INLINE void pass_worker_door(void (*door)() noexcept) noexcept
{
    door_of_this_program = door;
    std::string const named = attune::detail::environment_variable(worker_variable);
    if (named.empty()) return;
    ::unsetenv(worker_variable);
    if (char const* const lacking = what_parent_lacks(named)) {
        std::string const text = std::string("attune: this program was started with ") +
                                 worker_variable + " set, but " + lacking +
                                 "; unset that variable\n";
        (void)!::write(STDERR_FILENO, text.data(), text.size());
        ::_exit(refused_code);
    }
    ::close(door_socket);
    live_as_worker(worker_socket, ::getppid(),
                   [](std::shared_ptr<cuda::driver const> driver, device_call call,
                      device_bench_options const& options) {
                       return make_local_bench(std::move(driver), std::move(call), options);
                   });
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
