// attune/measure/sandbox/process_state.ipp - reads, compares and restores process state.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/process_state.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <map>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

extern "C" char** environ;

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::array interval_timers{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

/// Control bits, without the exception flags that arithmetic sets.
[[nodiscard]] inline unsigned floating_point_mode() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned short x87 = 0;
    asm volatile("fnstcw %0" : "=m"(x87));
    return (_mm_getcsr() & ~0x3FU) << 16 | x87;
#elif defined(__aarch64__)
    unsigned long control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return static_cast<unsigned>(control);
#else
    return static_cast<unsigned>(std::fegetround());
#endif
}

[[nodiscard]] inline std::string working_directory()
{
    std::string path(4096, '\0');
    if (getcwd(path.data(), path.size()) == nullptr) return {};
    path.resize(std::strlen(path.c_str()));
    return path;
}

/// From /proc, because umask() returns the mask only by changing it for all threads. -1: unknown.
[[nodiscard]] inline int file_mode_mask()
{
    int const file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    char text[512] = {};
    ssize_t const got = read(file, text, sizeof text - 1);
    close(file);
    char const* const at = got > 0 ? std::strstr(text, "\nUmask:") : nullptr;
    return at != nullptr ? static_cast<int>(std::strtol(at + 7, nullptr, 8)) : -1;
}

/// Every open descriptor, with device and inode of its file.
[[nodiscard]] inline std::map<int, std::pair<dev_t, ino_t>> open_descriptors()
{
    std::map<int, std::pair<dev_t, ino_t>> found;
    DIR* const folder = opendir("/proc/self/fd");
    if (folder == nullptr) return found;
    int const own = dirfd(folder);
    while (dirent const* const entry = readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        int const descriptor = static_cast<int>(std::strtol(entry->d_name, nullptr, 10));
        struct stat about{};
        if (descriptor == own || fstat(descriptor, &about) != 0) continue;
        found.emplace(descriptor, std::pair{about.st_dev, about.st_ino});
    }
    closedir(folder);
    return found;
}

[[nodiscard]] inline std::vector<std::string> environment()
{
    std::vector<std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        all.emplace_back(*entry);
    std::sort(all.begin(), all.end());
    return all;
}

inline void restore_environment(std::vector<std::string> const& wanted)
{
    auto const name_of = [](std::string const& entry) { return entry.substr(0, entry.find('=')); };
    for (std::string const& entry : environment())
        if (!std::binary_search(wanted.begin(), wanted.end(), entry))
            unsetenv(name_of(entry).c_str());
    std::vector<std::string> const kept = environment();
    for (std::string const& entry : wanted) {
        if (std::binary_search(kept.begin(), kept.end(), entry)) continue;
        std::string const name = name_of(entry);
        std::string const value = entry.substr(std::min(name.size() + 1, entry.size()));
        setenv(name.c_str(), value.c_str(), 1);
    }
}

[[nodiscard]] inline bool equal(struct sigaction const& a, struct sigaction const& b) noexcept
{
    bool const same_kind = (a.sa_flags & ~0x04000000) == (b.sa_flags & ~0x04000000); // SA_RESTORER
    return same_kind && a.sa_handler == b.sa_handler;
}

[[nodiscard]] inline bool equal(sigset_t const& a, sigset_t const& b) noexcept
{
    for (int signal = 1; signal < NSIG; ++signal)
        if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
    return true;
}

[[nodiscard]] inline double seconds_of(timeval const& t) noexcept
{
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

/// True when a child process runs, or has ended and was not waited for.
[[nodiscard]] inline bool has_child_process() noexcept
{
    siginfo_t info{};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

struct process_state::content {
    bool has_resources;
    bool has_shared; ///< true: also state that all threads share, such as `environ`
    unsigned floating_mode = floating_point_mode();
    std::fenv_t floating{};
    sigset_t mask{};
    stack_t stack{};
    locale_t thread_locale = uselocale(locale_t{});
    std::array<struct sigaction, NSIG> handlers{};
    std::array<itimerval, interval_timers.size()> timers{};
    double read_s = 0; ///< when the timers were read
    std::string locale_names{};
    std::string directory{};
    int mode_mask = -1;
    std::vector<std::string> variables{};
    std::map<int, std::pair<dev_t, ino_t>> descriptors{};
    bool has_children = false;

    content(bool with_resources, bool with_shared)
        : has_resources(with_resources)
        , has_shared(with_resources || (with_shared && !has_other_threads()))
    {
        if (has_resources) {
            descriptors = open_descriptors();
            has_children = has_child_process();
        }
        std::fegetenv(&floating);
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        sigaltstack(nullptr, &stack);
        if (has_shared) read_shared();
    }

    void read_shared()
    {
        for (int signal = 1; signal < NSIG; ++signal)
            sigaction(signal, nullptr, &handlers[static_cast<std::size_t>(signal)]);
        for (std::size_t i = 0; i < timers.size(); ++i)
            getitimer(interval_timers[i], &timers[i]);
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        read_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
        locale_names = std::setlocale(LC_ALL, nullptr);
        directory = working_directory();
        mode_mask = file_mode_mask();
        variables = detail::environment();
    }

    [[nodiscard]] bool has_other_handler(content const& now, std::size_t signal) const noexcept
    {
        if (signal == SIGINT && !has_resources) return false;
        return !detail::equal(now.handlers[signal], handlers[signal]);
    }

    /// False for a timer that only continued, with one second of tolerance for a busy machine.
    [[nodiscard]] bool has_other_timer(content const& now, std::size_t i) const
    {
        double const here_s = seconds_of(timers[i].it_value);
        double const there_s = seconds_of(now.timers[i].it_value);
        if (here_s == 0 || there_s == 0) return there_s > 0; // an expired timer is no change
        if (seconds_of(timers[i].it_interval) > 0)
            return seconds_of(timers[i].it_interval) != seconds_of(now.timers[i].it_interval);
        double const passed_s = now.read_s - read_s;
        return there_s > here_s + 1 || there_s < here_s - passed_s - 1;
    }
};

ATTUNE_INLINE process_state::process_state(bool with_resources)
    : before_(std::make_unique<content const>(with_resources, true))
{
}
ATTUNE_INLINE process_state::~process_state() = default;
ATTUNE_INLINE process_state::process_state(process_state&&) noexcept = default;
ATTUNE_INLINE process_state& process_state::operator=(process_state&&) noexcept = default;

ATTUNE_INLINE std::vector<std::string> process_state::changes() const
{
    content const& then = *before_;
    content const now(then.has_resources, then.has_shared);
    std::vector<std::string> out;
    auto const note = [&](bool differs, char const* what) {
        if (differs) out.emplace_back(what);
    };
    note(now.floating_mode != then.floating_mode,
         "changed the floating-point mode (rounding, flushing to zero or traps)");
    note(!detail::equal(now.mask, then.mask), "changed the signal mask");
    note(now.stack.ss_sp != then.stack.ss_sp || now.stack.ss_size != then.stack.ss_size,
         "changed the signal stack");
    bool const same_names = !now.has_shared || now.locale_names == then.locale_names;
    note(!same_names || now.thread_locale != then.thread_locale, "changed the locale");
    if (!now.has_shared) return out;
    for (std::size_t signal = 1; signal < NSIG; ++signal)
        if (then.has_other_handler(now, signal))
            out.push_back("changed the handler of signal " + std::to_string(signal));
    for (std::size_t i = 0; i < then.timers.size(); ++i)
        note(then.has_other_timer(now, i), "set a timer (alarm or setitimer)");
    note(now.directory != then.directory, "changed the working directory");
    note(now.mode_mask != then.mode_mask, "changed the file mode mask");
    note(now.variables != then.variables, "changed the environment");
    note(now.has_children && !then.has_children, "left a child process behind");
    for (auto const& [descriptor, file] : then.descriptors) {
        auto const found = now.descriptors.find(descriptor);
        if (found == now.descriptors.end() || found->second != file)
            out.push_back("closed or exchanged file descriptor " + std::to_string(descriptor));
    }
    return out;
}

ATTUNE_INLINE void process_state::restore() const
{
    content const& then = *before_;
    content const now(then.has_resources, then.has_shared);
    if (now.floating_mode != then.floating_mode) std::fesetenv(&then.floating);
    if (!detail::equal(now.mask, then.mask)) pthread_sigmask(SIG_SETMASK, &then.mask, nullptr);
    if (now.stack.ss_sp != then.stack.ss_sp || now.stack.ss_size != then.stack.ss_size)
        sigaltstack(&then.stack, nullptr);
    if (now.thread_locale != then.thread_locale) uselocale(then.thread_locale);
    if (!now.has_shared) return;
    for (int signal = 1; signal < NSIG; ++signal) {
        auto const at = static_cast<std::size_t>(signal);
        if (then.has_other_handler(now, at)) sigaction(signal, &then.handlers[at], nullptr);
    }
    for (std::size_t i = 0; i < then.timers.size(); ++i)
        if (then.has_other_timer(now, i)) setitimer(interval_timers[i], &then.timers[i], nullptr);
    if (now.locale_names != then.locale_names) std::setlocale(LC_ALL, then.locale_names.c_str());
    // chdir() fails when the folder was removed.
    bool const moved = now.directory != then.directory && !then.directory.empty();
    if (moved && chdir(then.directory.c_str()) != 0) errno = 0;
    if (now.mode_mask != then.mode_mask && then.mode_mask >= 0)
        umask(static_cast<mode_t>(then.mode_mask));
    if (now.variables != then.variables) restore_environment(then.variables);
}

ATTUNE_INLINE std::string first_change(std::span<std::string const> changes,
                                       std::span<std::string const> allowed)
{
    for (std::string const& change : changes)
        if (std::find(allowed.begin(), allowed.end(), change) == allowed.end()) return change;
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
