// attune/core/posix/machine_figures.hpp - registers, caches and cores, and the figures of this machine that a space may read.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/ABI/testing/sysfs-devices-system-cpu (cache/index*)
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

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
/// the sum over several groups of cores. machine_figures.hpp reads the caches from /sys first.
[[nodiscard]] processor_shape this_processor();

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

struct machine_figure {
    std::string_view name; ///< "machine.l2_bytes"
    std::int64_t value = 0;
};

inline constexpr std::size_t machine_figure_count = 8;

/// The figures of attune::machine, as the system reports them now; declare/input.hpp explains
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

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/machine_figures.ipp>
#endif
