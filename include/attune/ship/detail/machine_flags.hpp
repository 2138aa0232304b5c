// attune/ship/detail/machine_flags.hpp - which of a compiler's flags are for one kind of machine alone.
// SPDX-License-Identifier: MIT
// Source   GCC manual, AArch64 options
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The architecture for which a flag is: "x86" or "AArch64"; empty: for any.
[[nodiscard]] inline std::string_view architecture_of_flag(std::string_view flag) noexcept
{
    constexpr std::string_view arm[] = {
        "-msve-vector-bits=",  "-moutline-atomics", "-mno-outline-atomics", "-mbranch-protection=",
        "-mgeneral-regs-only", "-mlow-precision-",  "-march=armv",          "-mcpu="};
    if (!flag.starts_with("-m") || flag.starts_with("-mllvm")) return {};
    return std::any_of(std::begin(arm), std::end(arm),
                       [&](std::string_view one) { return flag.starts_with(one); })
               ? "AArch64"
               : "x86";
}

/// Returns true if a machine's compiler does not have the flag: "-mprefer-vector-width=512" for
/// "aarch64".
/// @param machine  the first word of the compiler's -dumpmachine, or CMake's name of the machine
[[nodiscard]] inline bool is_foreign_flag(std::string_view flag, std::string_view machine) noexcept
{
    std::string_view const of = architecture_of_flag(flag);
    if (machine == "x86_64" || machine == "AMD64" || machine == "amd64") return of == "AArch64";
    if (machine == "aarch64" || machine == "arm64") return of == "x86";
    return !of.empty();
}

} // namespace attune::inline ATTUNE_ABI::detail
