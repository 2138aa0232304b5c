// attune/core/posix/processor.hpp - the model and the features of the processor of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lines of /proc/cpuinfo about the first processor, with the names, numbers and features that
/// the processor itself reports to this process. Under an emulator, or after a move to another
/// host, the file describes another processor. On AArch64, where the file has numbers only, the
/// lines also have a model name, and those of all kinds of cores that the process may run on: a
/// process on big cores, one on little cores, and one on both have three names. Empty if there is
/// no such file.
[[nodiscard]] std::vector<std::string> processor_lines();

/// The numbers of the processors that this process may run on; empty if the system does not report
/// them.
[[nodiscard]] std::vector<int> processors_of_process();

/// A text that differs if the processor of this process has another model or other features.
[[nodiscard]] std::string processor_facts();

/// The value on such a line: "Xeon" of "model name\t: Xeon".
[[nodiscard]] std::string_view processor_value(std::string_view line) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/processor.ipp>
#endif
