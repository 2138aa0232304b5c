// attune/tune/pipeline/core_pin.ipp - finds words on threads in texts; reads and sets affinities.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/timing_turns.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool mentions_threads(std::string_view text)
{
    constexpr std::string_view words[] = {
        "omp.h",       "pragma omp",   "-fopenmp",   "-qopenmp",       "pthread",
        "std::thread", "std::jthread", "std::async", "std::execution", "tbb"};
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return text.find(word) != std::string_view::npos;
    });
}

ATTUNE_INLINE bool may_use_threads(kernel_source const& kernel, std::string const& compiler)
{
    return mentions_threads(kernel.text) || mentions_threads(compiler) ||
           std::any_of(kernel.flags.begin(), kernel.flags.end(),
                       [](std::string const& flag) { return mentions_threads(flag); });
}

/// Returns the number at the beginning of a variable; 0: there is none.
[[nodiscard]] inline std::size_t number_in_variable(char const* name)
{
    std::string const text = environment_variable(name);
    std::size_t const first = std::min(text.find_first_not_of(" \t"), text.size());
    std::size_t out = 0;
    auto const read = std::from_chars(text.data() + first, text.data() + text.size(), out);
    return read.ec == std::errc{} ? out : 0;
}

[[nodiscard]] inline std::size_t processors_of_machine() noexcept
{
    return static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

ATTUNE_INLINE std::size_t usable_threads()
{
    std::size_t out = number_in_variable("OMP_NUM_THREADS");
    if (out == 0) out = processors_of_this_thread().size();
    if (out == 0) out = processors_of_machine();
    std::size_t const limit = number_in_variable("OMP_THREAD_LIMIT");
    return limit == 0 ? out : std::min(out, limit);
}

ATTUNE_INLINE std::string threads_setting(kernel_source const& kernel, std::string const& compiler)
{
    if (!may_use_threads(kernel, compiler)) return {};
    std::size_t const usable = usable_threads();
    return usable == processors_of_machine() ? std::string() : std::to_string(usable);
}

} // namespace attune::inline ATTUNE_ABI::detail

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE bool run_only_on([[maybe_unused]] std::vector<int> const& processors,
                               [[maybe_unused]] long thread)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int const p : processors)
        CPU_SET(static_cast<std::size_t>(p), &set);
    return ::sched_setaffinity(static_cast<pid_t>(thread), sizeof set, &set) == 0;
#else
    return false;
#endif
}

/// The hardware threads of the core of this processor, itself included.
[[nodiscard]] inline std::vector<int> hardware_threads_beside(int processor)
{
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                       "/topology/thread_siblings_list");
    std::string list;
    std::getline(file, list);
    std::vector<int> all = processors_of(list);
    if (std::find(all.begin(), all.end(), processor) == all.end()) all.push_back(processor);
    return all;
}

/// The threads of this process, except the calling one, that may run only on that processor.
[[nodiscard]] inline std::vector<long> threads_bound_to([[maybe_unused]] int processor)
{
    std::vector<long> out;
#if defined(__linux__)
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<std::size_t>(processor), &only);
    long const self = ::syscall(SYS_gettid);
    std::error_code no_throw;
    for (std::filesystem::directory_iterator task("/proc/self/task", no_throw), end;
         !no_throw && task != end; task.increment(no_throw)) {
        long const id = std::strtol(task->path().filename().c_str(), nullptr, 10);
        cpu_set_t set;
        CPU_ZERO(&set);
        if (id != self && ::sched_getaffinity(static_cast<pid_t>(id), sizeof set, &set) == 0 &&
            CPU_EQUAL(&set, &only))
            out.push_back(id);
    }
#endif
    return out;
}

[[nodiscard]] inline std::vector<int> without(std::vector<int> from, std::vector<int> const& these)
{
    std::erase_if(from,
                  [&](int p) { return std::find(these.begin(), these.end(), p) != these.end(); });
    return from;
}

ATTUNE_INLINE std::vector<int> allowed_processors() { return processors_of_task(0); }

ATTUNE_INLINE std::size_t allowed_cores()
{
    std::vector<int> left = allowed_processors();
    std::size_t cores = 0;
    for (; !left.empty(); ++cores)
        left = detail::without(left, hardware_threads_beside(left.front()));
    return std::max<std::size_t>(cores, 1);
}

ATTUNE_INLINE std::vector<int> processors_of(std::string_view list)
{
    std::vector<int> out;
    char const* at = list.data();
    char const* const end = at + list.size();
    while (at != end) {
        int first = 0;
        auto read = std::from_chars(at, end, first);
        if (read.ec != std::errc{}) return out;
        int last = first;
        if (read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
            if (read.ec != std::errc{}) return out;
        }
        for (int p = first; p <= last; ++p)
            out.push_back(p);
        if (read.ptr == end || *read.ptr != ',') return out;
        at = read.ptr + 1;
    }
    return out;
}

ATTUNE_INLINE bool core_pin::hold()
{
    if (is_held()) return true;
#if defined(__linux__)
    std::vector<int> const allowed = allowed_processors();
    int const here = ::sched_getcpu();
    std::vector<int> others = detail::without(allowed, hardware_threads_beside(here));
    if (others.empty()) others = detail::without(allowed, {here});
    if (others.empty() || here < 0 || !run_only_on({here})) return false;
    before_ = allowed;
    processor_ = here;
    bound_before_ = threads_bound_to(here);
    others_ = std::move(others);
#endif
    return is_held();
}

ATTUNE_INLINE void core_pin::release() noexcept
{
    if (!is_held()) return;
    static_cast<void>(run_only_on(before_));
    // Threads that this thread started while it was pinned have its affinity.
    for (long const thread : threads_bound_to(processor_))
        if (std::find(bound_before_.begin(), bound_before_.end(), thread) == bound_before_.end())
            static_cast<void>(run_only_on(before_, thread));
    others_.clear();
}

ATTUNE_INLINE bool core_pin::move_off() const { return is_held() && run_only_on(others_); }

} // namespace attune::inline ATTUNE_ABI::detail
