// attune/measure/sandbox/isolation.ipp - reads memory use, threads and libraries of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE memory_use read_memory_use()
{
    unsigned long pages[6] = {};
    if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
        int const got = std::fscanf(file, "%lu %lu %lu %lu %lu %lu", pages, pages + 1, pages + 2,
                                    pages + 3, pages + 4, pages + 5);
        std::fclose(file);
        if (got != 6) return {};
    }
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return {pages[1] * page, pages[5] * page};
}

/// A field of /proc/self/smaps_rollup, in bytes; 0 if missing.
[[nodiscard]] inline std::size_t memory_field(std::string const& name)
{
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ':'))
            return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
    return 0;
}

[[nodiscard]] inline std::string gigabytes(std::size_t bytes)
{
    std::size_t const tenths = bytes / 100'000'000;
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " GB";
}

/// Number of threads of this process without attune's, with the calling one; 0: unknown.
[[nodiscard]] inline std::size_t threads_of_the_program()
{
    std::size_t count = 0;
    std::error_code no_throw;
    for (std::filesystem::directory_iterator task("/proc/self/task", no_throw), end;
         !no_throw && task != end; task.increment(no_throw)) {
        std::string name;
        std::getline(std::ifstream(task->path() / "comm"), name);
        if (!name.empty() && name != own_thread_name) ++count;
    }
    return count;
}

ATTUNE_INLINE bool has_gomp_team()
{
#if defined(__linux__)
    auto const is_gomp = [](dl_phdr_info const& info) {
        return std::strstr(info.dlpi_name, "libgomp") != nullptr;
    };
    return any_loaded(is_gomp) && threads_of_the_program() > 1;
#else
    return false;
#endif
}

ATTUNE_INLINE bool has_sanitizer() noexcept
{
    for (char const* const init : {"__asan_init", "__tsan_init", "__msan_init"})
        if (::dlsym(RTLD_DEFAULT, init) != nullptr) return true;
    return false;
}

ATTUNE_INLINE std::string foreign_allocator()
{
#if defined(__GLIBC__)
    if (has_sanitizer()) return {};
    Dl_info of_malloc{};
    Dl_info of_c{};
    if (::dladdr(::dlsym(RTLD_DEFAULT, "malloc"), &of_malloc) == 0 ||
        ::dladdr(::dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &of_c) == 0 ||
        of_malloc.dli_fbase == of_c.dli_fbase)
        return {};
    return std::filesystem::path(of_malloc.dli_fname).filename().string();
#else
    return {};
#endif
}

ATTUNE_INLINE bool has_other_threads() { return threads_of_the_program() != 1; }

ATTUNE_INLINE process_facts observe_process()
{
    process_facts out;
    out.has_gomp_team = has_gomp_team();
    out.small_page_bytes = read_memory_use().resident;
    if (out.small_page_bytes <= dear_fork_bytes) return out;
    // Costs 1 ms per GB: subtracts huge pages and shared memory.
    std::size_t const anonymous = memory_field("Anonymous");
    std::size_t const huge = memory_field("AnonHugePages");
    if (anonymous > 0) out.small_page_bytes = anonymous - std::min(anonymous, huge);
    return out;
}

ATTUNE_INLINE isolation_choice choose_isolation(isolation wanted, process_facts const& facts)
{
    if (wanted != isolation::automatic)
        return {wanted, std::string(describe(wanted)) + ": as asked"};
    if (facts.has_gomp_team)
        return {isolation::guard,
                "guard: this program has used OpenMP through libgomp, whose parallel regions hang "
                "in a forked child"};
    if (facts.small_page_bytes > dear_fork_bytes)
        return {isolation::guard, "guard: a fork would copy the tables of " +
                                      gigabytes(facts.small_page_bytes) + " in small pages"};
    return {isolation::fork, "fork: it is cheap in this process"};
}

} // namespace attune::inline ATTUNE_ABI::detail
