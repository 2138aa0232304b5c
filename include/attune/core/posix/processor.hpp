// attune/core/posix/processor.hpp - the processor's description in /proc/cpuinfo.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lines of /proc/cpuinfo about the first processor; empty when there is no such file.
[[nodiscard]] std::vector<std::string> processor_lines();

/// The value on such a line: "Xeon" of "model name\t: Xeon".
[[nodiscard]] std::string_view processor_value(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/processor.ipp>
#endif
