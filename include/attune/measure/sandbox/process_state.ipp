// attune/measure/sandbox/process_state.ipp - reads, compares and restores process state.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/detail/state_rows.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/process_state.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE descriptor_state::descriptor_state()
{
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr) return;
    int const own = ::dirfd(folder);
    while (::dirent const* const entry = ::readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        int const descriptor = static_cast<int>(std::strtol(entry->d_name, nullptr, 10));
        struct ::stat about{};
        if (descriptor == own || ::fstat(descriptor, &about) != 0) continue;
        open_file one{.device = about.st_dev,
                      .file = about.st_ino,
                      .size = about.st_size,
                      .written_ns = 1'000'000'000 * about.st_mtim.tv_sec + about.st_mtim.tv_nsec};
        // Other programs may share the positions of the standard streams.
        if (S_ISREG(about.st_mode) && descriptor > STDERR_FILENO)
            one.position = ::lseek(descriptor, 0, SEEK_CUR);
        one.status = ::fcntl(descriptor, F_GETFL);
        one.flags = ::fcntl(descriptor, F_GETFD);
        all_.emplace(descriptor, one);
    }
    ::closedir(folder);
}

ATTUNE_INLINE bool descriptor_state::open_file::went_on(open_file const& then) const noexcept
{
    bool const is_written = size != then.size || written_ns != then.written_ns;
    return (then.status & O_ACCMODE) != O_RDONLY && position > then.position && is_written;
}

ATTUNE_INLINE std::vector<std::string> descriptor_state::changes(bool with_shared,
                                                                 bool has_written) const
{
    descriptor_state const now;
    std::vector<std::string> out;
    for (auto const& [descriptor, then] : all_) {
        auto const found = now.all_.find(descriptor);
        if (found == now.all_.end() || !found->second.is_file_of(then))
            out.push_back("closed or exchanged file descriptor " + std::to_string(descriptor));
        else if (with_shared && !found->second.is_same(then, has_written))
            out.push_back("changed the flags or the position of file descriptor " +
                          std::to_string(descriptor));
    }
    return out;
}

ATTUNE_INLINE void descriptor_state::restore() const
{
    descriptor_state const now;
    for (auto const& [descriptor, then] : all_) {
        auto const found = now.all_.find(descriptor);
        if (found == now.all_.end() || !found->second.is_file_of(then)) continue;
        open_file const& here = found->second;
        if (here.status != then.status) ::fcntl(descriptor, F_SETFL, then.status);
        if (here.flags != then.flags) ::fcntl(descriptor, F_SETFD, then.flags);
        // If another process wrote meanwhile, the old position would overwrite its text.
        if (here.position != then.position && !here.went_on(then))
            ::lseek(descriptor, then.position, SEEK_SET);
    }
}

inline constexpr std::array interval_timers{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

[[nodiscard]] inline bool equal(struct sigaction const& a, struct sigaction const& b) noexcept
{
    bool const same_kind = (a.sa_flags & ~0x04000000) == (b.sa_flags & ~0x04000000); // SA_RESTORER
    return same_kind && a.sa_handler == b.sa_handler;
}

[[nodiscard]] inline double seconds_of(timeval const& t) noexcept
{
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

/// Returns true if a child process runs, or has ended and was not waited for.
[[nodiscard]] inline bool has_child_process() noexcept
{
    siginfo_t info{};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

struct process_state::content {
    bool has_resources;
    bool has_shared; ///< true: also state that all threads share, such as `environ`
    bool is_alone;   ///< true: no other thread, here or in the parent, uses that state
    float_environment floating = own_float_environment::hosts();
    std::array<std::string, state_rows.size()> rows{};
    std::array<struct sigaction, NSIG> handlers{};
    std::array<itimerval, interval_timers.size()> timers{};
    double read_s = 0; ///< time of reading the timers
    std::optional<descriptor_state> descriptors{};
    bool has_children = false;

    content(bool with_resources, bool with_shared, bool was_alone)
        : has_resources(with_resources)
        , has_shared(with_resources || (with_shared && !has_other_threads()))
        , is_alone(with_resources ? was_alone : has_shared)
    {
        if (has_resources) {
            descriptors.emplace();
            has_children = has_child_process();
        }
        std::string const status = small_file("/proc/thread-self/status");
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (is_compared(state_rows[i].owner)) rows[i] = state_rows[i].read(status);
        if (has_shared) read_shared();
    }

    [[nodiscard]] bool is_compared(state_owner owner) const noexcept
    {
        switch (owner) {
        case state_owner::thread:
            return true;
        case state_owner::process:
            return has_shared;
        case state_owner::alone:
            return has_shared && is_alone;
        case state_owner::child:
            return has_resources;
        }
        return false;
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
    }

    /// Compares known states only: another thread may have started since.
    [[nodiscard]] bool has_other_row(content const& now, std::size_t i) const noexcept
    {
        return !rows[i].empty() && !now.rows[i].empty() && rows[i] != now.rows[i];
    }

    [[nodiscard]] bool has_other_handler(content const& now, std::size_t signal) const noexcept
    {
        if (signal == SIGINT && !has_resources) return false;
        return !detail::equal(now.handlers[signal], handlers[signal]);
    }

    /// Returns false for a timer that only continued, with one second of tolerance for a busy
    /// machine.
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

ATTUNE_INLINE process_state::process_state(bool with_resources, bool was_alone)
    : before_(std::make_unique<content const>(with_resources, true, was_alone))
{
}
ATTUNE_INLINE process_state::~process_state() = default;
ATTUNE_INLINE process_state::process_state(process_state&&) noexcept = default;
ATTUNE_INLINE process_state& process_state::operator=(process_state&&) noexcept = default;

ATTUNE_INLINE std::vector<std::string> process_state::changes(bool has_written) const
{
    content const& then = *before_;
    content const now(then.has_resources, then.has_shared, then.is_alone);
    std::vector<std::string> out;
    auto const note = [&](bool differs, char const* what) {
        // Two rows have the same sentence: the thread's locale and the process's locale.
        if (differs && (out.empty() || out.back() != what)) out.emplace_back(what);
    };
    note(now.floating.mode() != then.floating.mode(),
         "changed the floating-point mode (rounding, flushing to zero or traps)");
    note(now.has_children && !then.has_children, "left a child process behind");
    for (std::size_t i = 0; i < state_rows.size(); ++i)
        note(then.has_other_row(now, i), state_rows[i].change);
    if (!now.has_shared) return out;
    for (std::size_t signal = 1; signal < NSIG; ++signal)
        if (then.has_other_handler(now, signal))
            out.push_back("changed the handler of signal " + std::to_string(signal));
    for (std::size_t i = 0; i < then.timers.size(); ++i)
        note(then.has_other_timer(now, i), "set a timer (alarm or setitimer)");
    if (then.descriptors)
        for (std::string& change : then.descriptors->changes(then.is_alone, has_written))
            out.push_back(std::move(change));
    return out;
}

ATTUNE_INLINE void process_state::restore() const
{
    content const& then = *before_;
    content const now(then.has_resources, then.has_shared, then.is_alone);
    // Removes flags, too, that the run raised in the host's environment.
    own_float_environment::set_hosts(then.floating);
    for (std::size_t i = 0; i < state_rows.size(); ++i) {
        if (state_rows[i].restore == nullptr || !then.has_other_row(now, i)) continue;
        // Restoring another row may have restored this one.
        std::string const here = state_rows[i].read(small_file("/proc/thread-self/status"));
        if (here != then.rows[i]) state_rows[i].restore(then.rows[i]);
    }
    if (!now.has_shared) return;
    for (int signal = 1; signal < NSIG; ++signal) {
        auto const at = static_cast<std::size_t>(signal);
        if (then.has_other_handler(now, at)) sigaction(signal, &then.handlers[at], nullptr);
    }
    for (std::size_t i = 0; i < then.timers.size(); ++i)
        if (then.has_other_timer(now, i)) setitimer(interval_timers[i], &then.timers[i], nullptr);
}

ATTUNE_INLINE std::string first_change(std::span<std::string const> changes,
                                       std::span<std::string const> allowed)
{
    for (std::string const& change : changes)
        if (std::find(allowed.begin(), allowed.end(), change) == allowed.end()) return change;
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
