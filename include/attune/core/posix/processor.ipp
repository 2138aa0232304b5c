// attune/core/posix/processor.ipp - /proc/cpuinfo.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <fstream>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> processor_lines()
{
    std::ifstream file("/proc/cpuinfo");
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line) && !line.empty();)
        out.push_back(line);
    return out;
}

ATTUNE_INLINE std::string_view processor_value(std::string_view line) noexcept
{
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos || colon + 2 > line.size()) return {};
    return line.substr(colon + 2);
}

} // namespace attune::inline ATTUNE_ABI::detail
