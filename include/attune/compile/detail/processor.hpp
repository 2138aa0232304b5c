// attune/compile/detail/processor.hpp - the processor and what it can do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <fstream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The processor and what it can do, as the kernel says, which no library is needed for.
[[nodiscard]] inline std::string processor_facts()
{
    std::ifstream file("/proc/cpuinfo");
    std::string facts;
    for (std::string line; std::getline(file, line) && !line.empty();)
        for (char const* const name :
             {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU "})
            if (line.starts_with(name)) facts += line + '\n';
    return facts;
}

} // namespace attune::inline ATTUNE_ABI::detail
