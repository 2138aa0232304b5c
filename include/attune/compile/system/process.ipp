// attune/compile/system/process.ipp - spawns with a pipe, a time limit and an exit status.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <poll.h>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The environment of this process with the C locale and, if given, a folder for temporary files.
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

/// A started program. The destructor kills it with its children, and reaps it.
class started_program {
public:
    explicit started_program(pid_t id) noexcept
        : id_(id)
    {
    }
    ~started_program()
    {
        if (!has_ended()) ::kill(-id_, SIGKILL);
        static_cast<void>(reap());
    }
    started_program(started_program const&) = delete;
    started_program& operator=(started_program const&) = delete;

    /// Returns true also if other code has waited for the program, or SIGCHLD is ignored: another
    /// process may then have the program's id.
    [[nodiscard]] bool has_ended() noexcept
    {
        if (is_over_) return true;
        siginfo_t about{};
        int found = 0;
        do {
            found = ::waitid(P_PID, static_cast<id_t>(id_), &about, WEXITED | WNOHANG | WNOWAIT);
        } while (found != 0 && errno == EINTR);
        is_lost_ = found != 0;
        is_over_ = is_lost_ || about.si_pid == id_;
        return is_over_;
    }
    void kill_all() noexcept
    {
        if (!has_ended()) ::kill(-id_, SIGKILL);
    }
    /// The wait status; empty if other code of this process has reaped it.
    std::optional<int> reap() noexcept
    {
        if (id_ <= 0 || is_lost_) return {};
        int status = 0;
        pid_t found = 0;
        do {
            found = ::waitpid(id_, &status, 0);
        } while (found < 0 && errno == EINTR);
        is_lost_ = found != std::exchange(id_, 0);
        is_over_ = true;
        return is_lost_ ? std::optional<int>{} : status;
    }

private:
    pid_t id_;
    bool is_over_ = false;
    bool is_lost_ = false;
};

/// An end of a pipe, and its output.
struct read_stream {
    int pipe = -1; ///< -1: closed
    std::string* text = nullptr;
    std::size_t most = std::string::npos; ///< keeps at least this many of the last bytes
};

/// Reads until the pipes close, or until the child has ended and no data is left. A process that
/// another thread forked may keep a pipe open. Waits for the child afterwards.
/// @return  false if `limit_s` passed first
[[nodiscard]] inline bool read_until_ended(std::array<read_stream, 2> streams,
                                           started_program& child, double limit_s)
{
    double const begun_s = steady_seconds();
    std::array<char, 4096> block{};
    for (;;) {
        cut_here();
        double const left_s = limit_s - (steady_seconds() - begun_s);
        bool const is_over = child.has_ended();
        bool const is_open = streams[0].pipe >= 0 || streams[1].pipe >= 0;
        if (is_over && !is_open) return true;
        if (left_s <= 0) return false;
        std::array<pollfd, 2> waiting{{{streams[0].pipe, POLLIN, 0}, {streams[1].pipe, POLLIN, 0}}};
        int const wait_ms = is_over ? 0 : static_cast<int>(std::min(left_s * 1000 + 1, 20.0));
        if (::poll(waiting.data(), waiting.size(), is_open ? wait_ms : std::min(wait_ms, 2)) <= 0) {
            if (is_over) return true;
            continue;
        }
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (waiting[i].revents == 0) continue;
            read_stream& from = streams[i];
            ssize_t const count = ::read(from.pipe, block.data(), block.size());
            if (count > 0) from.text->append(block.data(), static_cast<std::size_t>(count));
            if (from.text->size() / 2 > from.most)
                from.text->erase(0, from.text->size() - from.most);
            if (count == 0 || (count < 0 && errno != EINTR)) from.pipe = -1;
        }
    }
}

/// Returns true if other code may reap this process's children: SIGCHLD is ignored, or the program
/// handles it.
[[nodiscard]] inline bool may_lose_children() noexcept
{
    struct sigaction now{};
    return ::sigaction(SIGCHLD, nullptr, &now) == 0 &&
           ((now.sa_flags & (SA_SIGINFO | SA_NOCLDWAIT)) != 0 || now.sa_handler != SIG_DFL);
}

/// A pipe; the destructor closes both ends.
struct pipe_ends {
    descriptor out;
    descriptor in;

    [[nodiscard]] bool open() noexcept
    {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
        out = descriptor(ends[0]);
        in = descriptor(ends[1]);
        return true;
    }
};

/// Runs a program as run_process() does.
/// @param by_shell  a shell runs the program, and reports the exit status
/// @return  empty if other code of this process took the exit status
[[nodiscard]] inline std::optional<process_result>
run_once(std::vector<std::string> const& arguments, double limit_s, std::string const& temporary,
         output_streams how, bool by_shell)
{
    auto const cannot = [&](std::string const& what, int code) {
        return error("cannot run '" + arguments.front() + "': " + what + ", " +
                         std::generic_category().message(code),
                     {},
                     "check that the program exists, and the limits on processes and open files");
    };
    // Not posix_spawnp(): it would use a PATH that a privileged start must ignore.
    std::string program = find_program(arguments.front());
    if (program.empty()) throw cannot("not started", ENOENT);
    pipe_ends words;
    pipe_ends errors;
    pipe_ends told;
    bool const is_apart = how == output_streams::apart;
    if (!words.open() || (is_apart && !errors.open()) || (by_shell && !told.open()))
        throw cannot("no pipe", errno);

    spawn_request request;
    request.arguments = arguments;
    if (by_shell) {
        request.arguments.front() = std::exchange(program, "/bin/sh");
        request.arguments.insert(request.arguments.begin(),
                                 {program, "-c", "\"$@\" 3>&-; echo $? >&3", "sh"});
    }
    request.path = program;
    request.environment = spawn_environment(temporary);
    request.files = {{0, -1}, {1, words.in.get()}, {2, (is_apart ? errors : words).in.get()}};
    if (by_shell) request.files.push_back({3, told.in.get()});
    spawn_outcome const started = spawn(std::move(request));
    words.in.close();
    errors.in.close();
    told.in.close();
    if (started.error_code != 0) throw cannot("not started", started.error_code);

    process_result result;
    started_program child(started.process);
    std::size_t const most = is_apart ? std::size_t{1} << 20 : std::string::npos;
    result.timed_out = !read_until_ended(
        {{{words.out.get(), &result.output, most}, {errors.out.get(), &result.errors, most}}},
        child, limit_s);
    child.kill_all();
    std::optional<int> const status = child.reap();
    if (result.timed_out) {
        result.signal = SIGKILL;
    } else if (by_shell) {
        std::array<char, 16> text{};
        ssize_t const count = ::read(told.out.get(), text.data(), text.size() - 1);
        int const code = count > 1 ? std::atoi(text.data()) : -1;
        (code > 128 ? result.signal : result.exit_status) = code > 128 ? code - 128 : code;
    } else if (!status) {
        return {};
    } else if (WIFEXITED(*status)) {
        result.exit_status = WEXITSTATUS(*status);
    } else if (WIFSIGNALED(*status)) {
        result.signal = WTERMSIG(*status);
    }
    return result;
}

ATTUNE_INLINE process_result run_process(std::vector<std::string> const& arguments, double limit_s,
                                         std::string const& temporary, output_streams how)
{
    static std::atomic<bool> has_lost_one{false}; // true: another thread waits for any child
    if (!has_lost_one && !may_lose_children()) {
        if (auto ran = run_once(arguments, limit_s, temporary, how, false)) return *std::move(ran);
        has_lost_one = true;
    }
    return *run_once(arguments, limit_s, temporary, how, true);
}

ATTUNE_INLINE std::string find_program(std::string const& name)
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

inline constexpr std::string_view temporary_prefix = "attune-work-";

/// Opens a folder and locks it. @return  its descriptor; -1, with errno, on failure
[[nodiscard]] inline int lock_folder(std::string const& path) noexcept
{
    int const folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
    int const why = errno;
    ::close(folder);
    errno = why;
    return -1;
}

/// Returns true if `path` is still the opened folder.
[[nodiscard]] inline bool is_still(std::string const& path, int folder) noexcept
{
    struct stat opened{};
    struct stat named{};
    return ::fstat(folder, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

ATTUNE_INLINE void remove_dead_folders(std::string const& parent) noexcept
try {
    std::error_code no_throw;
    std::filesystem::directory_iterator at(parent, no_throw);
    for (; !no_throw && at != std::filesystem::directory_iterator{}; at.increment(no_throw)) {
        std::string const path = at->path().string();
        if (!at->path().filename().string().starts_with(temporary_prefix)) continue;
        int const folder = lock_folder(path);
        if (folder < 0) continue; // its process lives, or the file system has no locks
        struct stat about{};
        std::error_code ignored;
        if (::fstat(folder, &about) == 0 && about.st_uid == ::geteuid())
            std::filesystem::remove_all(path, ignored);
        ::close(folder);
    }
} catch (std::exception const&) { // no memory: a later process removes them
}

/// Calls remove_dead_folders() once per parent folder and process.
inline void remove_dead_folders_once(std::string const& parent)
{
    static fork_safe_mutex mutex;
    static auto& known =
        *new std::set<std::string>; // not destroyed, for threads that outlive exit()
    {
        std::lock_guard const lock(mutex);
        if (!known.insert(parent).second) return;
    }
    remove_dead_folders(parent);
}

ATTUNE_INLINE temporary_folder::temporary_folder()
    : owner_(::getpid())
{
    std::string parent = environment_variable("TMPDIR");
    if (parent.empty()) parent = P_tmpdir;
    remove_dead_folders_once(parent);
    auto const cannot = [&] {
        return error("cannot make a temporary folder: " + std::generic_category().message(errno),
                     parent, "set TMPDIR to a folder that this program may write to");
    };
    // Another process may remove the folder before the lock; then try again.
    for (int tries_left = 100;; --tries_left) {
        path_ = parent + '/' + std::string(temporary_prefix) + "XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr) throw cannot();
        lock_ = lock_folder(path_);
        bool const has_no_locks = lock_ < 0 && (errno == ENOLCK || errno == ENOSYS ||
                                                errno == EOPNOTSUPP || errno == EINVAL);
        if (has_no_locks || (lock_ >= 0 && is_still(path_, lock_))) return;
        bool const is_taken = lock_ >= 0 || errno == ENOENT || errno == EWOULDBLOCK;
        if (lock_ >= 0) ::close(std::exchange(lock_, -1));
        if (is_taken && tries_left > 0) continue;
        error const why = cannot();
        ::rmdir(path_.c_str());
        throw why;
    }
}

ATTUNE_INLINE temporary_folder::~temporary_folder()
{
    std::error_code no_throw;
    if (owner_ == ::getpid()) std::filesystem::remove_all(path_, no_throw);
    if (lock_ >= 0) ::close(lock_);
}

ATTUNE_INLINE std::string temporary_folder::write(std::string const& name,
                                                  std::string const& text) const
{
    std::filesystem::path const path = std::filesystem::path(path_) / name;
    std::error_code no_throw;
    std::filesystem::create_directories(path.parent_path(), no_throw);
    quiet_writes const quiet;
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush())
        throw error("cannot write a temporary file", path.string(),
                    "free some space there, or set TMPDIR to another folder");
    return path.string();
}

} // namespace attune::inline ATTUNE_ABI::detail
