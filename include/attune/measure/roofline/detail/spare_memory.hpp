// attune/measure/roofline/detail/spare_memory.hpp - how much memory a measurement may use.
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

/// The number after `name` in a file with lines of a name and a number; negative when missing.
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

/// Bytes that a control group (version 2) still allows, its page cache included. Infinity without a
/// limit.
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

/// Bytes that are free without taking memory from other programs, within the limits of this
/// process's control groups. Infinity when unknown.
/// @param root  prefix of /proc and /sys
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
        // A group's limit holds for all groups in it. The root has none; in a container, the root
        // is the container's group.
        for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
            spare = std::min(spare, granted_bytes(root + "/sys/fs/cgroup" + group));
            if (group.empty()) break;
        }
    }
    return spare;
}

/// Bytes that all threads use together for arrays far larger than the caches: 192 MiB each up to
/// 1.5 GiB, or 24 MiB each if that is more; at most a quarter of the spare memory.
/// @param spare    bytes to spare
/// @param beyond   bytes that are far larger than the caches
/// Errors   std::bad_alloc: the result would be less than `beyond`
[[nodiscard]] inline double large_footprint(unsigned threads, double spare, double beyond)
{
    constexpr double mebibyte = 1 << 20;
    double const wanted = mebibyte * std::max(std::min(192.0 * threads, 1536.0), 24.0 * threads);
    double const most = 0.25 * spare;
    if (most < std::min(beyond, wanted)) throw std::bad_alloc();
    return std::min(wanted, most);
}

} // namespace attune::inline ATTUNE_ABI::detail
