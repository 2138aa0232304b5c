// attune/ship/baked/detail/arm_answers.hpp - what an AArch64 processor and Linux answer a release: HWCAP, MIDR_EL1.
// SPDX-License-Identifier: MIT-0
// Source   Linux: Documentation/arch/arm64/cpu-feature-registers.rst, elf_hwcaps.rst
#pragma once

#include <attune/core/version.hpp>

#if defined(__aarch64__) && defined(__linux__)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::uint64_t hwcap_of_process() noexcept { return ::getauxval(AT_HWCAP); }
[[nodiscard]] inline std::uint64_t hwcap2_of_process() noexcept { return ::getauxval(AT_HWCAP2); }

/// The number in a file about a processor in /sys; 0: there is none.
[[nodiscard]] inline std::uint64_t number_of_processor(char const* root, std::size_t processor,
                                                       char const* name) noexcept
{
    char path[512];
    std::snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%zu/%s", root, processor, name);
    std::FILE* const file = std::fopen(path, "re");
    if (file == nullptr) return 0;
    char text[32] = {};
    char const* const line = std::fgets(text, sizeof text, file);
    std::fclose(file);
    return line != nullptr ? std::strtoull(line, nullptr, 0) : 0;
}

/// MIDR_EL1 of the strongest processor that this process may run on, like the first of arm_cores()
/// in core/posix, whose name a store has; of the present one where /sys does not tell.
/// @param root  prefix of /sys
[[nodiscard]] inline std::uint64_t midr_of_process(char const* root) noexcept
{
    std::uint64_t out = 0;
    std::uint64_t most = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    bool const is_known = ::sched_getaffinity(::getpid(), sizeof set, &set) == 0;
    for (std::size_t p = 0; is_known && p < CPU_SETSIZE && most < 1024; ++p) {
        if (!CPU_ISSET(p, &set)) continue;
        std::uint64_t const midr = number_of_processor(root, p, "regs/identification/midr_el1");
        std::uint64_t const capacity = number_of_processor(root, p, "cpu_capacity");
        if (midr == 0 || (out != 0 && capacity <= most)) continue;
        out = midr;
        most = capacity;
    }
    if (out == 0) __asm__("mrs %0, midr_el1" : "=r"(out)); // the system answers for the processor
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

#endif
