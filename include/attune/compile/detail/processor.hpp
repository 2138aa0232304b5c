// attune/compile/detail/processor.hpp - model and features of the processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Model and features of the processor, from /proc/cpuinfo.
[[nodiscard]] inline std::string processor_facts()
{
    std::string facts;
    for (std::string const& line : processor_lines())
        for (char const* const name :
             {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU "})
            if (line.starts_with(name)) facts += line + '\n';
    return facts;
}

} // namespace attune::inline ATTUNE_ABI::detail
