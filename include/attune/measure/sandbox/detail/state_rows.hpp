// attune/measure/sandbox/detail/state_rows.hpp - the rows of process state, to read and to restore.
// SPDX-License-Identifier: MIT
//
// tested by measure/sandbox/process_state.cpp
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <ios>
#include <iostream>
#include <locale.h>
#include <locale>
#include <memory_resource>
#include <new>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#if defined(__linux__)
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#endif

extern "C" char** environ;

namespace attune::inline ATTUNE_ABI::detail {

/// The owner of a piece of state, which decides when it is compared.
enum class state_owner : std::uint8_t {
    thread,  ///< the calling thread: compared always
    process, ///< all threads: in a child, and if there is no other thread
    alone,   ///< like `process`; in a child only if its parent had no other thread
    child,   ///< in a child only
};

/// A piece of state. Equal texts are equal states; an empty text is an unknown state.
struct state_row {
    state_owner owner;
    char const* change; ///< the sentence for a changed state
    /// @param status  /proc/thread-self/status
    std::string (*read)(std::string const& status);
    void (*restore)(std::string const& before); ///< null: it cannot be restored
};

template <class T>
[[nodiscard]] std::string bytes_of(T const& value)
{
    return {reinterpret_cast<char const*>(&value), sizeof value};
}
template <class T>
[[nodiscard]] T value_of(std::string const& bytes)
{
    T out{};
    std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
    return out;
}

[[nodiscard]] inline std::string small_file(char const* path)
{
    std::string out(8192, '\0');
    int const file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::size_t size = 0;
    for (;;) {
        ::ssize_t const got = ::read(file, out.data() + size, out.size() - size);
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
        if (size == out.size()) out.resize(2 * size);
    }
    ::close(file);
    out.resize(size);
    return out;
}

/// The value of a line "Key:\tvalue" of a status file.
[[nodiscard]] inline std::string field_of(std::string const& status, std::string_view key)
{
    std::string const begin = "\n" + std::string(key) + ":";
    std::size_t const at = status.find(begin);
    if (at == status.npos) return {};
    std::size_t const from = status.find_first_not_of(" \t", at + begin.size());
    if (from == status.npos) return {};
    return status.substr(from, status.find('\n', from) - from);
}

// --- of the thread -------------------------------------------------------------------------------

[[nodiscard]] inline std::string signal_mask_now(std::string const&)
{
    ::sigset_t mask{};
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    std::string out;
    for (int signal = 1; signal < NSIG; ++signal)
        out += sigismember(&mask, signal) == 1 ? '1' : '0';
    return out;
}
inline void restore_signal_mask(std::string const& before)
{
    ::sigset_t mask{};
    ::sigemptyset(&mask);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] == '1') ::sigaddset(&mask, static_cast<int>(i) + 1);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

/// Address, size and use of a signal stack, without the padding of the struct.
[[nodiscard]] inline std::string signal_stack_now(std::string const&)
{
    ::stack_t now{};
    ::sigaltstack(nullptr, &now);
    return bytes_of(std::array{reinterpret_cast<std::uintptr_t>(now.ss_sp),
                               static_cast<std::uintptr_t>(now.ss_size),
                               static_cast<std::uintptr_t>(now.ss_flags & SS_DISABLE)});
}
inline void restore_signal_stack(std::string const& before)
{
    auto const then = value_of<std::array<std::uintptr_t, 3>>(before);
    ::stack_t back{};
    std::memcpy(&back.ss_sp, &then[0], sizeof back.ss_sp);
    back.ss_size = then[1];
    back.ss_flags = static_cast<int>(then[2]);
    ::sigaltstack(&back, nullptr);
}

[[nodiscard]] inline std::string thread_locale_now(std::string const&)
{
    return bytes_of(::uselocale(::locale_t{}));
}
inline void restore_thread_locale(std::string const& before)
{
    ::uselocale(value_of<::locale_t>(before));
}

/// The cancellation state and type of the calling thread.
[[nodiscard]] inline std::string cancellation_now(std::string const&)
{
    std::array<int, 2> out{}; // only a change reads them
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &out[0]);
    ::pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &out[1]);
    ::pthread_setcanceltype(out[1], nullptr);
    ::pthread_setcancelstate(out[0], nullptr);
    return bytes_of(out);
}
inline void restore_cancellation(std::string const& before)
{
    auto const then = value_of<std::array<int, 2>>(before);
    ::pthread_setcanceltype(then[1], nullptr);
    ::pthread_setcancelstate(then[0], nullptr);
}

#if defined(__x86_64__)
/// The environment of the x87 unit. The tags show which x87 or MMX registers hold a number. A
/// function must leave all registers empty, else later x87 arithmetic gives NaN.
struct x87_environment {
    std::array<std::uint32_t, 7> words{};
    x87_environment() { asm volatile("fnstenv %0\n\tfldenv %0" : "=m"(words)::"memory"); }
};
[[nodiscard]] inline std::string x87_registers_now(std::string const&)
{
    return std::to_string(x87_environment().words[2] & 0xffffU);
}
inline void restore_x87_registers(std::string const&) { asm volatile("emms" ::: "memory"); }
#endif

#if defined(__linux__)
/// Result of prctl() for a question without arguments; negative: the system does not have it.
template <int Question>
[[nodiscard]] std::string prctl_now(std::string const&)
{
    int const now = ::prctl(Question, 0UL, 0UL, 0UL, 0UL);
    return now < 0 ? std::string() : std::to_string(now);
}
/// The number that prctl() writes for a question; empty if the system does not have the question.
template <int Question>
[[nodiscard]] std::string prctl_written(std::string const&)
{
    int now = 0;
    return ::prctl(Question, &now, 0UL, 0UL, 0UL) != 0 ? std::string() : std::to_string(now);
}
template <int Command>
void prctl_back(std::string const& before)
{
    ::prctl(Command, std::strtoul(before.c_str(), nullptr, 10), 0UL, 0UL, 0UL);
}

[[nodiscard]] inline std::string thread_name_now(std::string const&)
{
    char name[17] = {};
    ::prctl(PR_GET_NAME, name, 0UL, 0UL, 0UL);
    return name;
}
inline void restore_thread_name(std::string const& before)
{
    ::prctl(PR_SET_NAME, before.c_str(), 0UL, 0UL, 0UL);
}

[[nodiscard]] inline ::id_t this_thread() noexcept
{
    return static_cast<::id_t>(::syscall(SYS_gettid));
}
[[nodiscard]] inline std::string niceness_now(std::string const&)
{
    errno = 0;
    int const now = ::getpriority(PRIO_PROCESS, this_thread());
    return errno != 0 ? std::string() : std::to_string(now);
}
inline void restore_niceness(std::string const& before)
{
    ::setpriority(PRIO_PROCESS, this_thread(), std::atoi(before.c_str()));
}

[[nodiscard]] inline std::string scheduling_now(std::string const&)
{
    ::sched_param how{};
    int const policy = ::sched_getscheduler(0);
    if (policy < 0 || ::sched_getparam(0, &how) != 0) return {};
    return bytes_of(std::array{policy, how.sched_priority});
}
inline void restore_scheduling(std::string const& before)
{
    auto const then = value_of<std::array<int, 2>>(before);
    ::sched_param how{};
    how.sched_priority = then[1];
    ::sched_setscheduler(0, then[0], &how);
}

[[nodiscard]] inline std::string processors_now(std::string const&)
{
    ::cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) != 0 ? std::string() : bytes_of(set);
}
inline void restore_processors(std::string const& before)
{
    auto const set = value_of<::cpu_set_t>(before);
    ::sched_setaffinity(0, sizeof set, &set);
}

[[nodiscard]] inline std::string disk_priority_now(std::string const&)
{
    long const now = ::syscall(SYS_ioprio_get, 1L, 0L); // 1: a thread, 0: this one
    return now < 0 ? std::string() : std::to_string(now);
}
inline void restore_disk_priority(std::string const& before)
{
    ::syscall(SYS_ioprio_set, 1L, 0L, std::strtol(before.c_str(), nullptr, 10));
}

/// A policy, after the bits of 1,024 nodes.
using node_policy = std::array<unsigned long, 1024 / (8 * sizeof(unsigned long)) + 1>;
[[nodiscard]] inline std::string memory_policy_now(std::string const&)
{
    int mode = 0;
    node_policy out{};
    if (::syscall(SYS_get_mempolicy, &mode, out.data(), 1024UL, nullptr, 0UL) != 0) return {};
    out.back() = static_cast<unsigned long>(mode);
    return bytes_of(out);
}
inline void restore_memory_policy(std::string const& before)
{
    auto const then = value_of<node_policy>(before);
    ::syscall(SYS_set_mempolicy, then.back(), then.data(), 1024UL);
}

[[nodiscard]] inline std::string privileges_now(std::string const& status)
{
    std::string out;
    for (char const* const set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
        out += field_of(status, set) + ' ';
    return out + prctl_now<PR_GET_SECUREBITS>(status);
}
[[nodiscard]] inline std::string filter_now(std::string const& status)
{
    return field_of(status, "Seccomp") + ' ' + field_of(status, "Seccomp_filters");
}

// --- of the process ------------------------------------------------------------------------------

[[nodiscard]] inline std::string identity_now(std::string const& status)
{
    return field_of(status, "Uid") + '/' + field_of(status, "Gid") + '/' +
           field_of(status, "Groups");
}
/// The real, effective and saved id of a line "0\t0\t0\t0".
[[nodiscard]] inline std::array<unsigned, 3> ids_in(char const* text)
{
    std::array<unsigned, 3> out{};
    char* at = nullptr;
    for (unsigned& id : out) {
        id = static_cast<unsigned>(std::strtoul(text, &at, 10));
        text = at;
    }
    return out;
}
inline void restore_identity(std::string const& before)
{
    std::array<unsigned, 3> const user = ids_in(before.c_str());
    std::array<unsigned, 3> const group = ids_in(before.c_str() + before.find('/') + 1);
    // Setting the group may need the user first, and the user the group.
    for (int i = 0; i < 2; ++i) {
        if (::setresuid(user[0], user[1], user[2]) != 0) errno = 0;
        if (::setresgid(group[0], group[1], group[2]) != 0) errno = 0;
    }
}

[[nodiscard]] inline std::string tracer_now(std::string const& status)
{
    bool const is_traced = field_of(status, "TracerPid") == std::to_string(::getppid());
    return is_traced ? "by its parent" : "not by its parent";
}

[[nodiscard]] inline std::string locked_memory_now(std::string const& status)
{
    return field_of(status, "VmLck");
}
inline void restore_locked_memory(std::string const& before)
{
    if (std::strtoul(before.c_str(), nullptr, 10) == 0) ::munlockall();
}

/// Calls `f` with the number on each line of `now` that `before` lacks. In both texts the first
/// line is no number.
template <class F>
void for_each_new_number(std::string const& before, std::string const& now, F const& f)
{
    for (std::size_t at = now.find('\n') + 1; at < now.size(); at = now.find('\n', at) + 1) {
        std::string const line = '\n' + now.substr(at, now.find('\n', at) - at) + '\n';
        if (before.find(line) == before.npos) f(std::strtol(line.c_str() + 1, nullptr, 10));
    }
}

[[nodiscard]] inline std::string own_timers_now(std::string const&)
{
    std::string const all = small_file("/proc/self/timers");
    std::string out;
    for (std::size_t at = all.find("ID: "); at != all.npos; at = all.find("ID: ", at + 1))
        out += all.substr(at + 4, all.find('\n', at) - at - 4) + '\n';
    return "timers\n" + out;
}
inline void restore_own_timers(std::string const& before)
{
    for_each_new_number(before, own_timers_now({}),
                        [](long timer) { ::syscall(SYS_timer_delete, timer); });
}

/// The System V segments that this process made, one number a line.
[[nodiscard]] inline std::string shared_memory_now(std::string const&)
{
    // The columns of /proc/sysvipc/shm: key, shmid, perms, size, cpid (who made the segment), ...
    std::string const all = small_file("/proc/sysvipc/shm");
    std::string out = "segments\n";
    for (std::size_t at = all.find('\n'); at + 1 < all.size(); at = all.find('\n', at + 1)) {
        long segment = 0;
        long maker = 0;
        if (std::sscanf(all.c_str() + at, "%*d %ld %*o %*u %ld", &segment, &maker) == 2 &&
            maker == ::getpid())
            out += std::to_string(segment) + '\n';
    }
    return out;
}
inline void restore_shared_memory(std::string const& before)
{
    for_each_new_number(before, shared_memory_now({}), [](long segment) {
        ::shmctl(static_cast<int>(segment), IPC_RMID, nullptr);
    });
}

[[nodiscard]] inline std::string personality_now(std::string const&)
{
    return std::to_string(::personality(0xFFFFFFFF));
}
inline void restore_personality(std::string const& before)
{
    ::personality(std::strtoul(before.c_str(), nullptr, 10));
}

[[nodiscard]] inline std::string kill_score_now(std::string const&)
{
    return small_file("/proc/self/oom_score_adj");
}
inline void restore_kill_score(std::string const& before)
{
    int const file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (::write(file, before.data(), before.size()) < 0) errno = 0; // may be forbidden
    ::close(file);
}

[[nodiscard]] inline std::string namespaces_now(std::string const&)
{
    std::string out;
    for (char const* const path :
         {"/proc/self/ns/mnt", "/proc/self/ns/net", "/proc/self/ns/ipc", "/proc/self/ns/uts",
          "/proc/self/ns/user", "/proc/self/ns/pid_for_children", "/proc/self/root"}) {
        char to[256] = {};
        if (::readlink(path, to, sizeof to - 1) > 0) out += to;
        out += ' ';
    }
    return out;
}
#endif // __linux__

using all_limits = std::array<std::array<std::uint64_t, 2>, RLIM_NLIMITS>;
[[nodiscard]] inline std::string limits_now(std::string const&)
{
    all_limits out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
        ::rlimit now{};
        ::getrlimit(static_cast<decltype(RLIMIT_CORE)>(i), &now);
        out[i] = {now.rlim_cur, now.rlim_max};
    }
    return bytes_of(out);
}
inline void restore_limits(std::string const& before)
{
    auto const then = value_of<all_limits>(before);
    for (std::size_t i = 0; i < then.size(); ++i) {
        auto const which = static_cast<decltype(RLIMIT_CORE)>(i);
        ::rlimit now{};
        ::getrlimit(which, &now);
        if (now.rlim_cur == then[i][0] && now.rlim_max == then[i][1]) continue;
        ::rlimit const back{then[i][0], then[i][1]};
        if (::setrlimit(which, &back) == 0) continue;
        ::rlimit const up_to{std::min<::rlim_t>(then[i][0], now.rlim_max), now.rlim_max};
        ::setrlimit(which, &up_to); // a lowered hard limit stays
    }
}

[[nodiscard]] inline std::string session_now(std::string const&)
{
    return std::to_string(::getsid(0)) + ' ' + std::to_string(::getpgid(0));
}
inline void restore_session(std::string const& before)
{
    ::setpgid(0, std::atoi(before.c_str() + before.find(' ')));
}

[[nodiscard]] inline std::string locale_now(std::string const&)
{
    char const* const names = std::setlocale(LC_ALL, nullptr);
    return names != nullptr ? names : "";
}
inline void restore_locale(std::string const& before) { std::setlocale(LC_ALL, before.c_str()); }

[[nodiscard]] inline std::string directory_now(std::string const&)
{
    std::string path(4096, '\0');
    if (::getcwd(path.data(), path.size()) == nullptr) return {};
    path.resize(std::strlen(path.c_str()));
    return path;
}
inline void restore_directory(std::string const& before)
{
    if (::chdir(before.c_str()) != 0) errno = 0; // fails when the folder was removed
}

/// Reads /proc, because umask() changes the mask for all threads.
[[nodiscard]] inline std::string file_mask_now(std::string const& status)
{
    return field_of(status, "Umask");
}
inline void restore_file_mask(std::string const& before)
{
    ::umask(static_cast<::mode_t>(std::strtoul(before.c_str(), nullptr, 8)));
}

/// All variables, sorted, each with a zero after it.
[[nodiscard]] inline std::string variables_now(std::string const&)
{
    std::vector<std::string_view> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        all.emplace_back(*entry);
    std::sort(all.begin(), all.end());
    std::string out("variables\0", 10);
    for (std::string_view const entry : all)
        out.append(entry).append(1, '\0');
    return out;
}
inline void restore_variables(std::string const& before)
{
    auto const entries_of = [](std::string const& all) {
        std::vector<std::string> out;
        for (std::size_t at = 10; at < all.size(); at = all.find('\0', at) + 1)
            out.emplace_back(all.c_str() + at);
        return out;
    };
    auto const name_of = [](std::string const& entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> const wanted = entries_of(before);
    for (std::string const& entry : entries_of(variables_now({})))
        if (!std::binary_search(wanted.begin(), wanted.end(), entry))
            ::unsetenv(name_of(entry).c_str());
    std::vector<std::string> const kept = entries_of(variables_now({}));
    for (std::string const& entry : wanted) {
        if (std::binary_search(kept.begin(), kept.end(), entry)) continue;
        std::string const name = name_of(entry);
        ::setenv(name.c_str(), entry.c_str() + std::min(name.size() + 1, entry.size()), 1);
    }
}

/// The name of the locale; for one without a name, its address.
[[nodiscard]] inline std::string global_locale_now(std::string const&)
{
    std::locale const now;
    return now.name() != "*" ? now.name() : now.name() + bytes_of(now);
}
inline void restore_global_locale(std::string const& before)
{
    if (!before.starts_with('*')) std::locale::global(std::locale(before));
}

inline std::array<std::ostream*, 3> const standard_streams{&std::cout, &std::cerr, &std::clog};
/// Flags, precision, fill character, state, exceptions and buffer of each.
using stream_formats = std::array<std::array<std::intptr_t, 6>, 3>;
[[nodiscard]] inline std::string streams_now(std::string const&)
{
    static std::ios_base::Init const now_constructed; // a static constructor may call a kernel
    stream_formats out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::ostream const& one = *standard_streams[i];
        out[i] = {one.flags(),   one.precision(),  one.fill(),
                  one.rdstate(), one.exceptions(), reinterpret_cast<std::intptr_t>(one.rdbuf())};
    }
    return bytes_of(out);
}
inline void restore_streams(std::string const& before)
{
    auto const then = value_of<stream_formats>(before);
    for (std::size_t i = 0; i < then.size(); ++i) {
        std::ostream& one = *standard_streams[i];
        one.exceptions(std::ios::goodbit);
        std::streambuf* buffer = nullptr;
        std::memcpy(&buffer, &then[i][5], sizeof buffer);
        if (one.rdbuf() != buffer) one.rdbuf(buffer);
        one.flags(static_cast<std::ios::fmtflags>(then[i][0]));
        one.precision(then[i][1]);
        one.fill(static_cast<char>(then[i][2]));
        one.clear(static_cast<std::ios::iostate>(then[i][3]));
        try {
            one.exceptions(static_cast<std::ios::iostate>(then[i][4]));
        } catch (std::ios::failure const&) { // it throws as it did before
        }
    }
}

struct library_handlers {
    std::terminate_handler of_terminate = std::get_terminate();
    std::new_handler of_new = std::get_new_handler();
    std::pmr::memory_resource* resource = std::pmr::get_default_resource();
};
[[nodiscard]] inline std::string library_handlers_now(std::string const&)
{
    return bytes_of(library_handlers{});
}
inline void restore_library_handlers(std::string const& before)
{
    auto const then = value_of<library_handlers>(before);
    std::set_terminate(then.of_terminate);
    std::set_new_handler(then.of_new);
    std::pmr::set_default_resource(then.resource);
}

#if defined(__GLIBC__)
/// Calls `f` with the state of rand() and random(): a number with its length and position, then its
/// words. Meanwhile both functions have another state.
template <class F>
void with_random_state(F const& f)
{
    constexpr std::array<std::size_t, 5> sizes{8, 32, 64, 128, 256}; // by type, see initstate(3)
    alignas(8) char other[8] = {};
    char* const here = ::initstate(1, other, sizeof other);
    if (here == nullptr) return;
    auto const head = value_of<std::int32_t>(std::string(here, sizeof(std::int32_t)));
    f(here, sizes[static_cast<std::size_t>(head % 5)]);
    ::setstate(here);
}
[[nodiscard]] inline std::string random_now(std::string const&)
{
    std::string out;
    with_random_state([&](char const* here, std::size_t size) { out.assign(here, size); });
    return out;
}
inline void restore_random(std::string const& before)
{
    with_random_state([&](char* here, std::size_t size) {
        if (size == before.size()) std::memcpy(here, before.data(), size);
    });
}
#endif

/// All pieces of state that are texts. The floating-point environment, the handlers of signals, the
/// interval timers and the descriptors are members of process_state's content.
inline constexpr std::array state_rows{
    state_row{state_owner::thread, "changed the signal mask", signal_mask_now, restore_signal_mask},
    state_row{state_owner::thread, "changed the signal stack", signal_stack_now,
              restore_signal_stack},
    state_row{state_owner::thread, "changed the locale", thread_locale_now, restore_thread_locale},
    state_row{state_owner::thread, "changed the cancellation of the thread", cancellation_now,
              restore_cancellation},
#if defined(__x86_64__)
    state_row{state_owner::thread,
              "left x87 or MMX registers of the thread in use (without _mm_empty())",
              x87_registers_now, restore_x87_registers},
#endif
#if defined(__linux__)
    state_row{state_owner::thread, "changed the name of the thread", thread_name_now,
              restore_thread_name},
    state_row{state_owner::thread, "changed the niceness of the thread", niceness_now,
              restore_niceness},
    state_row{state_owner::thread, "changed the scheduling policy of the thread", scheduling_now,
              restore_scheduling},
    state_row{state_owner::thread, "changed the processors of the thread (its affinity)",
              processors_now, restore_processors},
    state_row{state_owner::thread, "changed the disk priority of the thread (ioprio_set)",
              disk_priority_now, restore_disk_priority},
    state_row{state_owner::thread, "changed the memory policy of the thread (set_mempolicy)",
              memory_policy_now, restore_memory_policy},
    state_row{state_owner::thread, "changed the timer slack of the thread",
              prctl_now<PR_GET_TIMERSLACK>, prctl_back<PR_SET_TIMERSLACK>},
    state_row{state_owner::thread, "changed the length of SVE vectors (PR_SVE_SET_VL)",
              prctl_now<PR_SVE_GET_VL>, prctl_back<PR_SVE_SET_VL>},
    state_row{state_owner::thread,
              "changed the signal that comes when its parent ends (PR_SET_PDEATHSIG)",
              prctl_written<PR_GET_PDEATHSIG>, prctl_back<PR_SET_PDEATHSIG>},
    state_row{state_owner::thread, "gave up new privileges for good (PR_SET_NO_NEW_PRIVS)",
              prctl_now<PR_GET_NO_NEW_PRIVS>, nullptr},
    state_row{state_owner::thread, "installed a filter of system calls (seccomp)", filter_now,
              nullptr},
    state_row{state_owner::thread, "changed its capabilities", privileges_now, nullptr},
    state_row{state_owner::process, "changed its user or group", identity_now, restore_identity},
    state_row{state_owner::process, "changed whether it may be dumped (PR_SET_DUMPABLE)",
              prctl_now<PR_GET_DUMPABLE>, prctl_back<PR_SET_DUMPABLE>},
    state_row{state_owner::process, "changed who gets orphaned processes (PR_SET_CHILD_SUBREAPER)",
              prctl_written<PR_GET_CHILD_SUBREAPER>, prctl_back<PR_SET_CHILD_SUBREAPER>},
    state_row{state_owner::process, "changed the use of large pages (PR_SET_THP_DISABLE)",
              prctl_now<PR_GET_THP_DISABLE>, prctl_back<PR_SET_THP_DISABLE>},
    state_row{state_owner::process, "asked to be traced (ptrace)", tracer_now, nullptr},
    state_row{state_owner::process, "locked memory (mlock)", locked_memory_now,
              restore_locked_memory},
    state_row{state_owner::process, "left a timer (timer_create)", own_timers_now,
              restore_own_timers},
    state_row{state_owner::process, "left shared memory (shmget)", shared_memory_now,
              restore_shared_memory},
    state_row{state_owner::process, "changed its personality", personality_now,
              restore_personality},
    state_row{state_owner::process, "changed its score for want of memory (oom_score_adj)",
              kill_score_now, restore_kill_score},
    state_row{state_owner::child, "moved to another namespace or root folder", namespaces_now,
              nullptr},
#endif
    state_row{state_owner::process, "changed a limit (setrlimit)", limits_now, restore_limits},
    state_row{state_owner::process, "changed its session or process group", session_now,
              restore_session},
    state_row{state_owner::process, "changed the locale", locale_now, restore_locale},
    state_row{state_owner::process, "changed the locale of C++", global_locale_now,
              restore_global_locale},
    state_row{state_owner::process, "changed std::cout, std::cerr or std::clog", streams_now,
              restore_streams},
    state_row{state_owner::process, "changed the working directory", directory_now,
              restore_directory},
    state_row{state_owner::process, "changed the file mode mask", file_mask_now, restore_file_mask},
    state_row{state_owner::process, "changed the environment", variables_now, restore_variables},
    state_row{state_owner::process,
              "changed the handler of std::terminate() or of new, or the resource of std::pmr",
              library_handlers_now, restore_library_handlers},
#if defined(__GLIBC__)
    state_row{state_owner::alone, "changed the state of rand()", random_now, restore_random},
#endif
};

} // namespace attune::inline ATTUNE_ABI::detail
