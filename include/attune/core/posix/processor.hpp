// attune/core/posix/processor.hpp - the model and the features of the processor of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// On x86-64 the lines of /proc/cpuinfo about the first processor, with the names, numbers and
/// features that the processor itself reports to this process. Under an emulator, or after a move
/// to another host, the file describes another processor. Empty if there is no such file. On
/// AArch64 the lines are made in the same form, from MIDR_EL1 and HWCAP, and the file serves only
/// where neither /sys nor the processor gives MIDR_EL1. Their model name has all kinds of cores
/// that the process may run on: a process on big cores, one on little cores, and one on both have
/// three names.
[[nodiscard]] std::vector<std::string> processor_lines();

/// The processors that a thread may run on, ascending; empty if the system does not report them.
/// @param thread  its number; 0: the calling thread; that of the process: its first thread
[[nodiscard]] std::vector<int> processors_of_task(int thread);

/// A text that differs if the processor of this process has another model or other features.
[[nodiscard]] std::string processor_facts();

/// The value on such a line: "Xeon" of "model name\t: Xeon".
[[nodiscard]] std::string_view processor_value(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/processor.ipp>
#endif
