// attune/compile/process.ipp - posix_spawn, a pipe, and a clock.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       a command, a time limit
// Out      the definitions of process.hpp; included by exactly one translation unit
// Source   own
// Depends  std, POSIX
// Tests    tests/compile/process.cpp
#pragma once

#include <attune/compile/process.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/quiet_writes.ipp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The environment of this process with English messages and, when given, its own folder for
/// temporary files.
[[nodiscard]] inline std::vector<std::string> spawn_environment(std::string const& temporary)
{
    std::vector<std::string> variables = environment_of_children();
    std::erase_if(variables, [&](std::string const& text) {
        return text.starts_with("LC_ALL=") || text.starts_with("LANGUAGE=") ||
               (!temporary.empty() && text.starts_with("TMPDIR="));
    });
    variables.emplace_back("LC_ALL=C");
    if (!temporary.empty()) variables.push_back("TMPDIR=" + temporary);
    return variables;
}

[[nodiscard]] inline std::vector<char*> spawn_pointers(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Whether the child has ended; it stays to be waited for.
[[nodiscard]] inline bool has_ended(pid_t child)
{
    siginfo_t about{};
    return ::waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           about.si_pid == child;
}

/// Reads until the pipe closes, or until the child has ended and nothing is left to read: a process
/// that another thread forked meanwhile may hold the other end open.
/// @return false when `limit_s` passed first
[[nodiscard]] inline bool
read_until_closed(int pipe, pid_t child, double limit_s, std::string& output)
{
    using clock = std::chrono::steady_clock;
    clock::time_point const start = clock::now();
    std::array<char, 4096> block{};
    for (;;) {
        double const left_s = limit_s - std::chrono::duration<double>(clock::now() - start).count();
        if (left_s <= 0) return false;
        pollfd waiting{pipe, POLLIN, 0};
        bool const is_over = has_ended(child);
        int const wait_ms = is_over ? 0 : static_cast<int>(std::min(left_s * 1000 + 1, 20.0));
        if (::poll(&waiting, 1, wait_ms) <= 0) {
            if (is_over) return true;
            continue;
        }
        ssize_t const count = ::read(pipe, block.data(), block.size());
        if (count > 0) output.append(block.data(), static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) return true;
    }
}

process_result
run_process(std::vector<std::string> const& arguments, double limit_s, std::string const& temporary)
{
    auto const cannot = [&](std::string const& what, int code) {
        return error("cannot run '" + arguments.front() + "': " + what + ", " +
                         std::generic_category().message(code),
                     {},
                     "check that the program exists, and the limits on processes and open files");
    };
    // Not posix_spawnp: it would ask a PATH that a privileged start must not ask.
    std::string const program = find_program(arguments.front());
    if (program.empty()) throw cannot("not started", ENOENT);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw cannot("no pipe", errno);

    std::vector<std::string> argument_texts = arguments;
    std::vector<std::string> variable_texts = spawn_environment(temporary);
    std::vector<char*> const argument_list = spawn_pointers(argument_texts);
    std::vector<char*> const variable_list = spawn_pointers(variable_texts);

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    ::posix_spawn_file_actions_adddup2(&files, ends[1], 2);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0); // so that its children can be killed with it
    ::posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));

    pid_t child = -1;
    int const refused = ::posix_spawn(
        &child, program.c_str(), &files, &attributes, argument_list.data(), variable_list.data());
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    if (refused != 0) {
        ::close(ends[0]);
        throw cannot("not started", refused);
    }

    process_result result;
    result.timed_out = !read_until_closed(ends[0], child, limit_s, result.output);
    ::close(ends[0]);
    if (result.timed_out) ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && !result.timed_out) result.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

std::string find_program(std::string const& name)
{
    auto const usable = [](std::string const& path) {
        std::error_code no_throw;
        return std::filesystem::is_regular_file(path, no_throw) &&
               ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return usable(name) ? name : std::string{};
    std::string const variable = environment_variable("PATH");
    std::string_view folders = variable.empty() ? system_folders : std::string_view(variable);
    for (;;) {
        std::size_t const colon = folders.find(':');
        std::string_view const folder = folders.substr(0, colon);
        std::string const path = (folder.empty() ? "." : std::string(folder)) + '/' + name;
        if (usable(path)) return path;
        if (colon == std::string_view::npos) return {};
        folders.remove_prefix(colon + 1);
    }
}

temporary_folder::temporary_folder()
{
    std::string parent = environment_variable("TMPDIR");
    if (parent.empty()) parent = "/tmp";
    std::string name = parent + "/attune-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw error("cannot make a temporary folder: " + std::generic_category().message(errno),
                    parent,
                    "set TMPDIR to a folder that this program may write to");
    path_ = name;
}

temporary_folder::~temporary_folder()
{
    std::error_code no_throw;
    std::filesystem::remove_all(path_, no_throw);
}

std::string temporary_folder::write(std::string const& name, std::string const& text) const
{
    std::filesystem::path const path = std::filesystem::path(path_) / name;
    std::error_code no_throw;
    std::filesystem::create_directories(path.parent_path(), no_throw);
    quiet_writes const quiet;
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush())
        throw error("cannot write a temporary file",
                    path.string(),
                    "free some space there, or set TMPDIR to another folder");
    return path.string();
}

} // namespace attune::inline ATTUNE_ABI::detail
