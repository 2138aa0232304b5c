// attune/ship/detail/machine_flags.hpp - which of a compiler's flags and levels are for one kind of machine alone.
// SPDX-License-Identifier: MIT
// Source   GCC manual, x86 options and AArch64 options
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// "x86" or "AArch64"; empty for another machine.
/// @param machine  the first word of the compiler's -dumpmachine, or CMake's name of the machine
[[nodiscard]] inline std::string_view architecture_of_machine(std::string_view machine) noexcept
{
    if (machine == "x86_64" || machine == "AMD64" || machine == "amd64") return "x86";
    return machine == "aarch64" || machine == "arm64" ? "AArch64" : "";
}

/// The level of one of instruction_level_names; `base` for another name.
[[nodiscard]] constexpr instruction_level instruction_level_in(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < instruction_level_names.size(); ++i)
        if (instruction_level_names[i] == name) return static_cast<instruction_level>(i);
    return instruction_level::base;
}

/// The architecture of an instruction set; empty for `base`.
[[nodiscard]] constexpr std::string_view architecture_of_level(instruction_level one) noexcept
{
    return x86_levels.has(one) ? "x86" : arm_levels.has(one) ? "AArch64" : "";
}

/// The architecture for which a flag is; empty: for any. Flags that name an instruction set are
/// not here: is_machine_flag() leaves them out.
[[nodiscard]] inline std::string_view architecture_of_flag(std::string_view flag) noexcept
{
    constexpr std::string_view x86[] = {"-mprefer-vector-width=",
                                        "-mrecip",
                                        "-mno-avx",
                                        "-mno-sse",
                                        "-mno-ssse3",
                                        "-mno-mmx",
                                        "-mno-fma",
                                        "-mno-f16c",
                                        "-mno-bmi",
                                        "-mno-lzcnt",
                                        "-mno-popcnt",
                                        "-mno-evex512",
                                        "-mno-vzeroupper",
                                        "-mno-80387",
                                        "-mno-red-zone",
                                        "-mno-push-args",
                                        "-mno-gather",
                                        "-mno-scatter",
                                        "-mno-ieee-fp",
                                        "-mno-align-stringops",
                                        "-mcmodel=kernel",
                                        "-mcmodel=medium"};
    constexpr std::string_view arm[] = {"-mno-outline-atomics", "-mno-low-precision-",
                                        "-mno-fix-cortex-", "-mcmodel=tiny"};
    auto const is_of = [&](auto const& all) {
        return std::any_of(std::begin(all), std::end(all),
                           [&](std::string_view one) { return flag.starts_with(one); });
    };
    return is_of(x86) ? "x86" : is_of(arm) ? "AArch64" : "";
}

/// Returns true if a machine's compiler does not have the flag: "-mprefer-vector-width=512" for
/// "aarch64".
/// @param machine  see architecture_of_machine()
[[nodiscard]] inline bool is_foreign_flag(std::string_view flag, std::string_view machine) noexcept
{
    std::string_view const of = architecture_of_flag(flag);
    return !of.empty() && of != architecture_of_machine(machine);
}

} // namespace attune::inline ATTUNE_ABI::detail
