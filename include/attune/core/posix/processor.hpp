// attune/core/posix/processor.hpp - what the system says about the machine's processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lines of /proc/cpuinfo about the first processor; none where there is no such file.
[[nodiscard]] std::vector<std::string> processor_lines();

/// What such a line says: "Xeon" of "model name\t: Xeon".
[[nodiscard]] std::string_view processor_value(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/processor.ipp>
#endif
