// attune/measure/sandbox/detail/signal_text.hpp - signals and addresses as text for failures.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// "SIGSEGV (invalid memory access)".
[[nodiscard]] inline std::string signal_text(int signal, int code)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV (invalid memory access)";
    case SIGBUS:
        return "SIGBUS (memory that is mapped but not there, or misaligned)";
    case SIGFPE:
        return code == FPE_INTDIV ? "SIGFPE (integer division by zero or overflow)"
                                  : "SIGFPE (arithmetic error)";
    case SIGILL:
        return "SIGILL (illegal instruction)";
    case SIGABRT:
        return "SIGABRT (abort was called)";
    case SIGTRAP:
        return "SIGTRAP (trap: code marked unreachable was reached)";
    case SIGSYS:
        return "SIGSYS (forbidden system call)";
    case SIGKILL:
        return "SIGKILL (killed from outside, often for want of memory)";
    default:
        return "signal " + std::to_string(signal);
    }
}

[[nodiscard]] inline std::string hexadecimal(std::uintptr_t address)
{
    char text[2 * sizeof address];
    auto const end = std::to_chars(text, text + sizeof text, address, 16);
    return "0x" + std::string(text, end.ptr);
}

} // namespace attune::inline ATTUNE_ABI::detail
