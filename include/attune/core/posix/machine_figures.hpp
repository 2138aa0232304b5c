// attune/core/posix/machine_figures.hpp - the processor, caches, cores and memory of this machine, and the figures that a space may read.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/ABI/testing/sysfs-devices-system-cpu (cache/index*)
// Source   Linux: Documentation/filesystems/proc.rst (MemTotal, MemAvailable),
//          admin-guide/cgroup-v2.rst
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

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

/// Bytes that are free or in reclaimable caches, within the limits of this process's control
/// groups. The number changes from call to call. Infinity if unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double spare_memory_bytes(std::string const& root = "");

/// Bytes that this process can ever have: the smaller of the installed memory and the tightest
/// limit of its control groups. The system reserves a slightly different part of the installed
/// memory at each start. The installed memory is therefore rounded down, by a sixteenth at most. A
/// limit is exact. Infinity if unknown.
/// @param root  prefix of /proc and /sys
[[nodiscard]] double granted_memory_bytes(std::string const& root = "");

} // namespace detail

/// Registers, caches and cores. The defaults are those of a processor with AVX2.
struct processor_shape {
    std::int64_t vector_bytes = 32;
    std::int64_t vector_registers = 16;
    std::int64_t l1_bytes = 32 * 1024; ///< data, of one core
    std::int64_t l2_bytes = 512 * 1024;
    std::int64_t l3_bytes = 8 * 1024 * 1024;
    std::int64_t cores = 1; ///< threads that a program may use
    /// True: arithmetic reads registers alone, as on AArch64. A factor from memory takes one more.
    bool loads_apart = false;

    [[nodiscard]] friend bool operator==(processor_shape const&, processor_shape const&) = default;
};

/// Reads the shape of this processor from sysconf() and /proc; `cores` stays 1. `l3_bytes` may be
/// the sum over several groups of cores. read_machine_figures() reads the caches from /sys first.
[[nodiscard]] processor_shape this_processor();

namespace detail {

struct machine_figure {
    std::string_view name; ///< "machine.l2_bytes"
    std::int64_t value = 0;
};

inline constexpr std::size_t machine_figure_count = 8;

/// The figures of attune::machine, as the system reports them now; declare/domain.hpp explains
/// each. A figure that the system does not report has its value in processor_shape{}.
/// @param root  prefix of /proc and /sys
[[nodiscard]] std::array<machine_figure, machine_figure_count>
read_machine_figures(std::string const& root = "");

/// The same figures, read once: all problems of a process have equal figures.
[[nodiscard]] std::array<machine_figure, machine_figure_count> const& machine_figures();

/// The figure of this name, or empty if there is none.
[[nodiscard]] std::optional<std::int64_t> machine_figure_named(std::string_view name);

/// Returns true if a figure of this or another version has this name.
[[nodiscard]] constexpr bool is_machine_figure(std::string_view name) noexcept
{
    return name.starts_with("machine.");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/machine_figures.ipp>
#endif
