// attune/core/posix/machine_figures.hpp - the numbers of this machine that a space may read, by name.
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

namespace attune::inline ATTUNE_ABI::detail {

struct machine_figure {
    std::string_view name; ///< "machine.l2_bytes"
    std::int64_t value = 0;
};

inline constexpr std::size_t machine_figure_count = 8;

/// The figures of attune::machine (declare/machine.hpp says what each is), as the system tells them
/// now; where it does not tell, those of a processor_shape{}.
/// @param root  prefix of /proc and /sys
[[nodiscard]] std::array<machine_figure, machine_figure_count>
read_machine_figures(std::string const& root = "");

/// The same, read once, so that all problems of a process have equal ones.
[[nodiscard]] std::array<machine_figure, machine_figure_count> const& machine_figures();

/// This machine's figure of that name; nothing when it is none.
[[nodiscard]] std::optional<std::int64_t> machine_figure_named(std::string_view name);

/// Whether a name is that of a figure, also one of another version.
[[nodiscard]] constexpr bool is_machine_figure(std::string_view name) noexcept
{
    return name.starts_with("machine.");
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/machine_figures.ipp>
#endif
