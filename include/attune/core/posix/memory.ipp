// attune/core/posix/memory.ipp - /proc/meminfo and the files of control groups.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/memory.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

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

} // namespace attune::inline ATTUNE_ABI::detail
