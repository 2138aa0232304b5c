// attune/core/posix/processor.ipp - /proc/cpuinfo, what the processor itself reports, and the auxiliary vector.
// SPDX-License-Identifier: MIT
// Source   man pages of getauxval and sched_getaffinity
#pragma once

#include <attune/core/posix/processor.hpp>
#include <attune/core/version.hpp>

#include <fstream>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <vector>
#if defined(__x86_64__)
#include <attune/core/posix/detail/x86_processor.hpp>
#elif defined(__aarch64__)
#include <attune/core/posix/detail/arm_processor.hpp>
#endif

namespace attune::inline ATTUNE_ABI::detail {

#if !defined(__x86_64__) && !defined(__aarch64__)
[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    return lines;
}
[[nodiscard]] inline std::string identity_words() { return {}; }
#endif

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
    // Linux makes the whole file for each reader, with all processors in it.
    static std::vector<std::string> const lines = read_processor_lines();
    return lines;
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

} // namespace attune::inline ATTUNE_ABI::detail
