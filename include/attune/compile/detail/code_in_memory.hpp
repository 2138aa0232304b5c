// attune/compile/detail/code_in_memory.hpp - unloads code after the end of all threads that may run it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dirent.h>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Ids of the threads of this process, in ascending order; empty if /proc does not list them. A
/// listing may end early where a thread ends meanwhile, so it is repeated until it is complete.
/// Cost     10 us
[[nodiscard]] inline std::vector<long> thread_ids()
{
    std::vector<long> out;
    constexpr int most_listings = 5;
    for (int i = 0; i < most_listings; ++i) {
        DIR* const tasks = ::opendir("/proc/self/task");
        if (tasks == nullptr) break;
        std::size_t listed = 0;
        while (dirent const* const entry = ::readdir(tasks))
            if (entry->d_name[0] != '.') {
                out.push_back(std::strtol(entry->d_name, nullptr, 10));
                ++listed;
            }
        struct ::stat seen{};
        bool const is_counted = ::fstat(::dirfd(tasks), &seen) == 0;
        ::closedir(tasks);
        if (!is_counted || seen.st_nlink <= listed + 2) break; // "." and ".." are links, too
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Facts about the unloading of code, from the functions that it needs.
struct unloading_facts {
    bool starts_any = false;    ///< the code starts threads itself. Threads of libraries, such as
                                ///< OpenMP's, do not return to the code
    bool starts_object = false; ///< the code starts a std::thread
    bool joins = false;
    bool detaches = false;
    bool gives_address = false; ///< a library keeps an address of the code or its data

    void note(std::string_view undefined_symbol)
    {
        auto const is_in = [&](auto const& names) {
            return std::find(names.begin(), names.end(), undefined_symbol) != names.end();
        };
        auto const has = [&](std::string_view part) {
            return undefined_symbol.find(part) != std::string_view::npos;
        };
        constexpr std::array<std::string_view, 2> start{"pthread_create", "thrd_create"};
        constexpr std::array<std::string_view, 3> detach{
            "pthread_detach", "pthread_attr_setdetachstate", "thrd_detach"};
        constexpr std::array<std::string_view, 8> give{"pthread_key_create",
                                                       "tss_create",
                                                       "on_exit",
                                                       "__cxa_at_quick_exit",
                                                       "setbuf",
                                                       "setvbuf",
                                                       "_ZNSt6locale6globalERKS_",
                                                       "_ZNSt3pmr20set_default_resourceE"
                                                       "PNS_15memory_resourceE"};
        starts_object = starts_object || has("6thread15_M_start_thread");
        starts_any = starts_any || starts_object || is_in(start);
        joins = joins || has("6thread4joinEv");
        detaches = detaches || is_in(detach) || has("6thread6detachEv");
        gives_address = gives_address || is_in(give);
    }
    /// Returns true if the code can never be unloaded. If the code starts a std::thread and neither
    /// joins nor detaches it, the destructor of a static std::thread would end the program.
    [[nodiscard]] bool stays() const
    {
        return gives_address || (starts_object && !joins && !detaches);
    }
};

/// Loaded code, with the two steps of its unloading.
struct code_in_memory {
    std::function<void()> end;   ///< destroys its static objects
    std::function<void()> unmap; ///< destroys what end() has left, and frees the memory
    bool unmap_ends = false;     ///< unmap() does the work of end() itself, at the right time
    unloading_facts facts{};
    std::vector<long> threads{}; ///< threads before the code was loaded; empty: it starts none

    /// Returns true if a thread of `now`, other than the calling one, began after the code was
    /// loaded.
    [[nodiscard]] bool may_run(std::vector<long> const& now) const
    {
        if (threads.empty()) return false;
        long const self = ::syscall(SYS_gettid);
        return std::any_of(now.begin(), now.end(), [&](long id) {
            return id != self && !std::binary_search(threads.begin(), threads.end(), id);
        });
    }
    /// Like may_run(), after at most a millisecond: an ended thread may be listed a little longer.
    [[nodiscard]] bool still_may_run() const
    {
        for (int i = 0; i < 10 && may_run(thread_ids()); ++i) {
            timespec const nap{0, 100'000};
            ::nanosleep(&nap, nullptr);
        }
        return may_run(thread_ids());
    }
    void unload()
    {
        if (!unmap_ends && end) end();
        unmap();
    }
};

/// Code that stays in memory because of a thread.
struct waiting_code {
    fork_safe_mutex lock{};
    std::vector<std::unique_ptr<code_in_memory>> all{};

    [[nodiscard]] static waiting_code& of_this_process()
    {
        static waiting_code& only = *new waiting_code; // threads may run the code at exit()
        return only;
    }
    /// Removes the code whose threads have ended.
    [[nodiscard]] std::vector<std::unique_ptr<code_in_memory>> take(std::vector<long> const& now)
    {
        std::vector<std::unique_ptr<code_in_memory>> out;
        std::lock_guard const guard(lock);
        auto const first = std::partition(all.begin(), all.end(),
                                          [&](auto const& code) { return code->may_run(now); });
        std::move(first, all.end(), std::back_inserter(out));
        all.erase(first, all.end());
        return out;
    }
    void add(std::unique_ptr<code_in_memory> code)
    {
        std::lock_guard const guard(lock);
        all.push_back(std::move(code));
    }
};

/// Unloads code. While a thread runs that may belong to the code, the code stays. The code's static
/// objects stay too if the code detaches threads. Otherwise the static objects are destroyed first,
/// because the destructor of a thread pool joins its threads.
inline void unload_or_wait(std::unique_ptr<code_in_memory> code)
{
    waiting_code& waiting = waiting_code::of_this_process();
    std::vector<long> const now = thread_ids();
    for (auto const& ready : waiting.take(now))
        ready->unload();
    if (code->may_run(now)) {
        if (!code->facts.detaches && code->end) std::exchange(code->end, {})();
        if (code->facts.detaches || code->still_may_run()) return waiting.add(std::move(code));
    }
    code->unload();
}

/// The owner of loaded code. The last copy of the owner unloads the code, except code that stays,
/// and except at the end of the program, when another thread may run the code.
[[nodiscard]] inline std::shared_ptr<void const> owner_of(code_in_memory code)
{
    bool const stays = code.facts.stays();
    std::shared_ptr<void const> out(
        new code_in_memory(std::move(code)), [](code_in_memory const* last) {
            std::unique_ptr<code_in_memory> own(const_cast<code_in_memory*>(last));
            if (program_is_ending()) return;
            own_float_environment const numbers;
            try {
                unload_or_wait(std::move(own));
            } catch (...) {
                return; // no memory: the code stays
            }
        });
    if (stays) keep_forever(out);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
