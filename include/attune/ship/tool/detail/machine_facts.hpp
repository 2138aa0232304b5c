// attune/ship/tool/detail/machine_facts.hpp - what Linux says of processors, clocks and memory.
// SPDX-License-Identifier: MIT
// Source   Documentation/admin-guide/pm/cpufreq.rst, admin-guide/cgroup-v2.rst of the Linux kernel
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// The first line of a file; empty: it is not there.
[[nodiscard]] inline std::string line_of_file(std::string const& path)
{
    std::ifstream in(path);
    std::string out;
    std::getline(in, out);
    return out;
}

/// How many processors have which text in a file of their cpufreq folder: {"performance", 16}.
/// @param root  of the file system
[[nodiscard]] inline std::map<std::string, std::size_t> cpufreq_texts(std::string const& root,
                                                                      char const* name)
{
    std::map<std::string, std::size_t> out;
    std::error_code no;
    std::filesystem::directory_iterator at(root + "/sys/devices/system/cpu", no);
    for (; !no && at != std::filesystem::directory_iterator(); at.increment(no)) {
        std::string const text = line_of_file(at->path().string() + "/cpufreq/" + name);
        if (!text.empty()) ++out[text];
    }
    return out;
}

/// Whether the clock may rise above its nominal value; nothing: the system does not say.
[[nodiscard]] inline std::optional<bool> may_boost(std::string const& root)
{
    std::string const folder = root + "/sys/devices/system/cpu/";
    if (std::string const no = line_of_file(folder + "intel_pstate/no_turbo"); !no.empty())
        return no == "0";
    if (std::string const boost = line_of_file(folder + "cpufreq/boost"); !boost.empty())
        return boost == "1";
    return std::nullopt;
}

/// Processors that this control group may use up; nothing: no limit, or the system does not say.
[[nodiscard]] inline std::optional<double> processor_quota(std::string const& root)
{
    std::istringstream in(line_of_file(root + "/sys/fs/cgroup/cpu.max"));
    double quota = 0, period = 0;
    if (in >> quota >> period && period > 0) return quota / period;
    return std::nullopt;
}

/// Runnable threads of the last minute.
[[nodiscard]] inline std::optional<double> load_of_last_minute(std::string const& root)
{
    std::string const line = line_of_file(root + "/proc/loadavg");
    return real_in_text(line.substr(0, line.find(' ')));
}

/// GiB of /proc/meminfo.
[[nodiscard]] inline std::optional<double> memory_gib(std::string const& root,
                                                      std::string const& name)
{
    std::ifstream in(root + "/proc/meminfo");
    for (std::string word; in >> word;) {
        double kib = 0;
        if (word == name + ':' && in >> kib) return kib / (1024.0 * 1024.0);
    }
    return std::nullopt;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
