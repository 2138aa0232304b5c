// attune/core/posix/machine_figures.ipp - /proc, /sys, sysconf(), the auxiliary vector, and the reports of the processor.
// SPDX-License-Identifier: MIT
// Source   man pages of getauxval and sched_getaffinity
#pragma once

#include <attune/core/posix/detail/reported_processor.hpp>
#include <attune/core/posix/machine_figures.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <sched.h>
#include <sstream>
#include <sys/auxv.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline std::vector<std::string> read_processor_lines()
{
    std::ifstream file("/proc/cpuinfo");
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line) && !line.empty();)
        out.push_back(line);
    return lines_in_process(std::move(out));
}

ATTUNE_INLINE std::vector<std::string> processor_lines()
{
#if defined(__x86_64__)
    // Linux makes the whole file for each reader, with all processors in it. The lines stay until
    // the process ends, also for threads that run then; an unreadable file is read again.
    static std::atomic<std::vector<std::string> const*> known{nullptr};
    if (auto const* const lines = known.load(std::memory_order_acquire)) return *lines;
    auto lines = std::make_unique<std::vector<std::string> const>(read_processor_lines());
    std::vector<std::string> const* none = nullptr;
    if (lines->empty() ||
        !known.compare_exchange_strong(none, lines.get(), std::memory_order_acq_rel))
        return *lines;
    return *lines.release();
#else
    return read_processor_lines(); // the kinds of cores change with the set of allowed cores
#endif
}

ATTUNE_INLINE std::string processor_facts()
{
    std::string facts;
    for (std::string const& line : processor_lines())
        for (char const* const name :
             {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ", "SVE "})
            if (line.starts_with(name)) facts += line + '\n';
    facts += identity_words();
    for (unsigned long const kind :
         {static_cast<unsigned long>(AT_HWCAP), static_cast<unsigned long>(AT_HWCAP2)})
        facts += std::to_string(::getauxval(kind)) + ' ';
    return facts;
}

ATTUNE_INLINE std::string_view processor_value(std::string_view line) noexcept
{
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos || colon + 2 > line.size()) return {};
    return line.substr(colon + 2);
}

ATTUNE_INLINE std::vector<int> processors_of_task(int thread)
{
    std::vector<int> out;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(thread, sizeof set, &set) != 0) return out;
    for (int p = 0; p < CPU_SETSIZE; ++p)
        if (CPU_ISSET(static_cast<std::size_t>(p), &set)) out.push_back(p);
    return out;
}

/// The number after `name` in a file of lines with a name and a number; negative if missing.
[[nodiscard]] inline double number_after(std::string const& name, std::string const& path)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream text(line);
        std::string word;
        double value = 0;
        if (text >> word && word == name && text >> value) return value;
    }
    return -1;
}

/// The limit of a control group (version 2). Infinity without one.
[[nodiscard]] inline double limit_of_group(std::string const& group)
{
    double most = 0;
    if (std::ifstream(group + "/memory.max") >> most) return most;
    return std::numeric_limits<double>::infinity(); // "max", or no such file
}

/// Bytes that a control group still allows, with its inactive page cache. Infinity without a limit.
[[nodiscard]] inline double left_in_group(std::string const& group)
{
    double const most = limit_of_group(group);
    double used = 0;
    if (std::isinf(most) || !(std::ifstream(group + "/memory.current") >> used))
        return std::numeric_limits<double>::infinity();
    double const cached = number_after("inactive_file", group + "/memory.stat");
    return std::max(most - used + std::max(cached, 0.0), 0.0);
}

/// The minimum of `bytes` and `of(folder)` for each control group of this process.
template <class F>
[[nodiscard]] double least_of_groups(std::string const& root, double bytes, F const& of)
{
    std::ifstream memberships(root + "/proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        if (!line.starts_with("0::/")) continue; // the line of version 2
        // A group's limit holds for all groups in it. The root group has no limit; in a container,
        // the root is the container's group.
        for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
            bytes = std::min(bytes, of(root + "/sys/fs/cgroup" + group));
            if (group.empty()) break;
        }
    }
    return bytes;
}

/// Bytes of a sysconf() value in pages. Infinity if the system does not report it.
[[nodiscard]] inline double bytes_of_pages(int name)
{
    double const pages = static_cast<double>(::sysconf(name));
    if (!(pages > 0)) return std::numeric_limits<double>::infinity();
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

ATTUNE_INLINE double spare_memory_bytes(std::string const& root)
{
    double spare = 1024 * number_after("MemAvailable:", root + "/proc/meminfo");
    if (spare < 0) spare = std::numeric_limits<double>::infinity();
#if defined(_SC_AVPHYS_PAGES)
    if (root.empty() && std::isinf(spare)) spare = bytes_of_pages(_SC_AVPHYS_PAGES);
#endif
    return least_of_groups(root, spare, left_in_group);
}

ATTUNE_INLINE double granted_memory_bytes(std::string const& root)
{
    double installed = 1024 * number_after("MemTotal:", root + "/proc/meminfo");
    if (!(installed > 0)) installed = std::numeric_limits<double>::infinity();
#if defined(_SC_PHYS_PAGES)
    if (root.empty() && std::isinf(installed)) installed = bytes_of_pages(_SC_PHYS_PAGES);
#endif
    if (std::isfinite(installed)) {
        double const step = std::ldexp(1.0, std::ilogb(installed) - 4);
        installed = step * std::floor(installed / step);
    }
    return least_of_groups(root, installed, limit_of_group);
}

} // namespace detail

ATTUNE_INLINE processor_shape this_processor()
{
    processor_shape shape;
    for (std::string const& line : detail::processor_lines()) {
        std::string const words = ' ' + std::string(detail::processor_value(line)) + ' ';
        auto const has = [&words](std::string_view word) {
            return words.find(' ' + std::string(word) + ' ') != std::string::npos;
        };
        if (line.starts_with("flags")) {
            shape.vector_bytes = has("avx512f") ? 64 : has("avx") ? 32 : 16;
            shape.vector_registers = has("avx512f") ? 32 : 16;
        } else if (line.starts_with("Features")) { // AArch64
            shape.vector_bytes = 16;
            shape.vector_registers = 32;
            shape.loads_apart = true;
        } else if (line.starts_with("SVE bytes")) {
            shape.vector_bytes = std::max<std::int64_t>(
                16, std::atoi(std::string(detail::processor_value(line)).c_str()));
        }
    }
    auto const cache = [](int name, std::int64_t& bytes) {
        long const found = ::sysconf(name);
        if (found > 0) bytes = found;
    };
    (void)cache;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    cache(_SC_LEVEL1_DCACHE_SIZE, shape.l1_bytes);
    cache(_SC_LEVEL2_CACHE_SIZE, shape.l2_bytes);
    cache(_SC_LEVEL3_CACHE_SIZE, shape.l3_bytes);
#endif
    return shape;
}

namespace detail {

/// The first word of a file; empty if there is none.
[[nodiscard]] inline std::string word_in_file(std::string const& path)
{
    std::string out;
    std::ifstream(path) >> out;
    return out;
}

/// Bytes in "32K", "1024K" or "8M"; 0 for another text.
[[nodiscard]] inline std::int64_t bytes_of_size(std::string const& text)
{
    std::int64_t out = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && out < (std::int64_t{1} << 40);
         ++i)
        out = 10 * out + (text[i] - '0');
    if (text.substr(i) == "K") return out << 10;
    if (text.substr(i) == "M") return out << 20;
    return text.substr(i) == "G" ? out << 30 : i == text.size() ? out : 0;
}

/// The folder in /sys of the strongest processor that this process may run on; of the first one
/// where all are equal. Big and little cores have caches of different sizes.
[[nodiscard]] inline std::string folder_of_processor(std::string const& root)
{
    std::string const folder = root + "/sys/devices/system/cpu/cpu";
    std::string out = folder + '0';
    std::int64_t most = 0;
    for (int const processor : processors_of_task(::getpid())) {
        std::string const one = folder + std::to_string(processor);
        std::int64_t const capacity = bytes_of_size(word_in_file(one + "/cpu_capacity"));
        if (capacity == 0)
            break; // Linux has the file on AArch64, for each processor; not on x86-64
        if (capacity > most) out = one;
        most = std::max(most, capacity);
        if (capacity >= 1024) break; // the strongest of the machine
    }
    return out;
}

/// Replaces the sizes of caches by those of a processor in /sys. The last level comes from
/// /sys if it is there, not from sysconf(). On processors with several groups of cores, sysconf()
/// may give the sum of the groups' caches. On an EPYC whose cores reach 32 MB it gave 335 MB.
inline void read_caches(processor_shape& shape, std::string const& root)
{
    std::string const folder = folder_of_processor(root);
    for (int i = 0; i < 16; ++i) {
        std::string const cache = folder + "/cache/index" + std::to_string(i);
        std::string const level = word_in_file(cache + "/level");
        if (level.empty()) return;
        std::int64_t const bytes = bytes_of_size(word_in_file(cache + "/size"));
        if (bytes == 0 || word_in_file(cache + "/type") == "Instruction") continue;
        if (level == "1") shape.l1_bytes = bytes;
        if (level == "2") shape.l2_bytes = bytes;
        if (level == "3") shape.l3_bytes = bytes;
    }
}

ATTUNE_INLINE std::array<machine_figure, machine_figure_count>
read_machine_figures(std::string const& root)
{
    processor_shape shape = this_processor();
    read_caches(shape, root);
    auto const told = [](int name, std::int64_t otherwise) -> std::int64_t {
        long const value = ::sysconf(name);
        return value > 0 ? value : otherwise;
    };
    double const memory = granted_memory_bytes(root);
    constexpr double most = 9e18; // more than any memory, less than 2^63
    return {{{"machine.l1_bytes", shape.l1_bytes},
             {"machine.l2_bytes", shape.l2_bytes},
             {"machine.l3_bytes", shape.l3_bytes},
             {"machine.cores", told(_SC_NPROCESSORS_ONLN, 1)},
             {"machine.vector_bytes", shape.vector_bytes},
             {"machine.vector_registers", shape.vector_registers},
             {"machine.page_bytes", told(_SC_PAGESIZE, 4096)},
             {"machine.memory_bytes", static_cast<std::int64_t>(std::min(memory, most))}}};
}

ATTUNE_INLINE std::array<machine_figure, machine_figure_count> const& machine_figures()
{
    static std::array<machine_figure, machine_figure_count> const figures = read_machine_figures();
    return figures;
}

ATTUNE_INLINE std::optional<std::int64_t> machine_figure_named(std::string_view name)
{
    if (!is_machine_figure(name)) return {}; // returns before it reads a file
    for (machine_figure const& one : machine_figures())
        if (one.name == name) return one.value;
    return {};
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
