// attune/measure/roofline/detail/spare_memory.hpp - how much memory a measurement takes, and may take.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/filesystems/proc.rst (MemAvailable), admin-guide/cgroup-v2.rst
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The number after `name` in a file with one name and number a line; negative without one.
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

/// What a control group (version 2) still grants; its page cache is given up on demand. Infinity
/// where there is no limit.
[[nodiscard]] inline double granted_bytes(std::string const& group)
{
    double most = 0;
    double used = 0;
    if (!(std::ifstream(group + "/memory.max") >> most) ||
        !(std::ifstream(group + "/memory.current") >> used))
        return std::numeric_limits<double>::infinity(); // "max", or no such files
    double const cached = number_after("inactive_file", group + "/memory.stat");
    return std::max(most - used + std::max(cached, 0.0), 0.0);
}

/// Bytes that can be had without taking them from another program, and within the limits of the
/// control groups that this process is in. Infinity where nothing tells.
/// @param root  in front of /proc and /sys
[[nodiscard]] inline double spare_memory_bytes(std::string const& root = "")
{
    double spare = 1024 * number_after("MemAvailable:", root + "/proc/meminfo");
    if (spare < 0) spare = std::numeric_limits<double>::infinity();
#if defined(_SC_AVPHYS_PAGES)
    if (root.empty() && spare == std::numeric_limits<double>::infinity()) {
        double const free_pages = static_cast<double>(::sysconf(_SC_AVPHYS_PAGES));
        if (free_pages > 0) spare = free_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
    }
#endif
    std::ifstream memberships(root + "/proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        if (!line.starts_with("0::/")) continue; // the line of version 2
        // A limit of a group holds for those in it; the root has none, but in a container it is
        // the group of the container.
        for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
            spare = std::min(spare, granted_bytes(root + "/sys/fs/cgroup" + group));
            if (group.empty()) break;
        }
    }
    return spare;
}

/// What all threads together use for arrays far beyond the caches: 192 MiB each, but not more than
/// 1.5 GiB, or 24 MiB each where there are so many; and a quarter of the memory to spare at most.
/// @param spare    bytes to spare
/// @param beyond   bytes that are enough to be beyond the caches
/// Errors   std::bad_alloc: that is less than `beyond`, and the bandwidth would be that of a cache
[[nodiscard]] inline double large_footprint(unsigned threads, double spare, double beyond)
{
    constexpr double mebibyte = 1 << 20;
    double const wanted = mebibyte * std::max(std::min(192.0 * threads, 1536.0), 24.0 * threads);
    double const most = 0.25 * spare;
    if (most < std::min(beyond, wanted)) throw std::bad_alloc();
    return std::min(wanted, most);
}

} // namespace attune::inline ATTUNE_ABI::detail
