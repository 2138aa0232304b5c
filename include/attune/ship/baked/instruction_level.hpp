// attune/ship/baked/instruction_level.hpp - the instruction sets of baked variants, and this processor's.
// SPDX-License-Identifier: MIT-0
// Source   x86-64 psABI, section 3.1.1; Intel SDM volume 2, CPUID and XGETBV; Arm ARM, section A2;
//          Linux: Documentation/arch/arm64/elf_hwcaps.rst
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ATTUNE_BAKED_HAS_CPUID 1
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#define ATTUNE_BAKED_HAS_HWCAP 1
#include <attune/ship/baked/detail/arm_answers.hpp>
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// Each includes those before it of the same architecture. Other processors have only `base`.
enum class instruction_level : std::uint8_t {
    base,
    x86_64_v2,
    x86_64_v3,
    x86_64_v4,
    armv8_1_a,
    armv8_2_a_fp16,
    armv8_2_a_sve,
    armv9_a
};

/// Names by instruction_level, as in the compilers' -march=.
inline constexpr std::array<std::string_view, 8> instruction_level_names{
    "base",      "x86-64-v2",      "x86-64-v3",     "x86-64-v4",
    "armv8.1-a", "armv8.2-a+fp16", "armv8.2-a+sve", "armv9-a"};

/// The levels of one architecture, beside `base`.
struct instruction_levels {
    instruction_level lowest{}, highest{};
    [[nodiscard]] constexpr bool has(instruction_level one) const noexcept
    {
        return one >= lowest && one <= highest;
    }
};
inline constexpr instruction_levels x86_levels{instruction_level::x86_64_v2,
                                               instruction_level::x86_64_v4};
inline constexpr instruction_levels arm_levels{instruction_level::armv8_1_a,
                                               instruction_level::armv9_a};
/// Those of this program's architecture.
#if defined(__aarch64__)
inline constexpr instruction_levels own_levels = arm_levels;
#elif defined(__x86_64__)
inline constexpr instruction_levels own_levels = x86_levels;
#else
inline constexpr instruction_levels own_levels{};
#endif

/// Returns true if a processor of one level runs the code of another.
[[nodiscard]] constexpr bool runs(instruction_level processor, instruction_level code) noexcept
{
    return code == instruction_level::base ||
           (code <= processor && x86_levels.has(code) == x86_levels.has(processor));
}

/// The level of a name; empty: the highest; another name, or one of another architecture: base.
[[nodiscard]] constexpr instruction_level instruction_level_up_to(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < instruction_level_names.size(); ++i)
        if (instruction_level_names[i] == name && own_levels.has(static_cast<instruction_level>(i)))
            return static_cast<instruction_level>(i);
    return name.empty() ? own_levels.highest : instruction_level::base;
}

/// The processor's answers about itself.
struct processor_words {
    std::uint32_t leaf_1_ecx = 0;
    std::uint32_t leaf_7_ebx = 0;
    std::uint32_t extended_1_ecx = 0; ///< of leaf 0x80000001
    std::uint64_t saved = 0;          ///< XCR0: the registers that the system saves for a program
    std::array<char, 13> vendor{};    ///< "GenuineIntel"; on AArch64 the implementer: "0x41"
    std::uint32_t family = 0;         ///< on AArch64 the number of the implementer
    std::uint32_t model = 0;          ///< on AArch64 the number of the part
    std::uint64_t hwcap = 0;          ///< AT_HWCAP of AArch64
    std::uint64_t hwcap2 = 0;
};

/// The highest level of x86-64 of which the processor and the system support every instruction.
[[nodiscard]] constexpr instruction_level x86_level_of(processor_words const& p) noexcept
{
    constexpr std::uint32_t v2 = 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
    constexpr std::uint32_t v2_extended = 1u << 0; // LAHF
    constexpr std::uint32_t v3 =
        1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;      // FMA ... F16C
    constexpr std::uint32_t v3_extended = 1u << 5;                 // LZCNT
    constexpr std::uint32_t v3_more = 1u << 3 | 1u << 5 | 1u << 8; // BMI, AVX2
    constexpr std::uint32_t v4_more = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    auto const has = [](auto word, auto bits) { return (word & bits) == bits; };
    if (!has(p.leaf_1_ecx, v2) || !has(p.extended_1_ecx, v2_extended))
        return instruction_level::base;
    if (!has(p.leaf_1_ecx, v3) || !has(p.extended_1_ecx, v3_extended) ||
        !has(p.leaf_7_ebx, v3_more) || !has(p.saved, std::uint64_t{0x6}))
        return instruction_level::x86_64_v2;
    if (!has(p.leaf_7_ebx, v4_more) || !has(p.saved, std::uint64_t{0xe6}))
        return instruction_level::x86_64_v3;
    return instruction_level::x86_64_v4;
}

/// The highest level of AArch64 of which the processor and the system support every instruction.
[[nodiscard]] constexpr instruction_level arm_level_of(processor_words const& p) noexcept
{
    constexpr auto bits = [](auto... of) { return ((std::uint64_t{1} << of) | ...); };
    constexpr std::uint64_t v8_1 = bits(1, 7, 8, 12);    // ASIMD, CRC32, LSE, RDM
    constexpr std::uint64_t v8_2_fp16 = bits(9, 10, 16); // FP16, DC CVAP
    constexpr std::uint64_t sve = bits(22);
    // JSCVT, FCMA, LRCPC, DotProd, F16FML, DIT, USCAT, ILRCPC, FLAGM, SB, PAuth
    constexpr std::uint64_t v9 = bits(13, 14, 15, 20, 23, 24, 25, 26, 27, 29, 30, 31);
    constexpr std::uint64_t v9_more = bits(0, 1, 7, 8); // DC CVADP, SVE2, FLAGM2, FRINT
    auto const has = [](std::uint64_t word, std::uint64_t wanted) {
        return (word & wanted) == wanted;
    };
    if (!has(p.hwcap, v8_1)) return instruction_level::base;
    if (!has(p.hwcap, v8_2_fp16)) return instruction_level::armv8_1_a;
    if (!has(p.hwcap, sve)) return instruction_level::armv8_2_a_fp16;
    if (!has(p.hwcap, v9) || !has(p.hwcap2, v9_more)) return instruction_level::armv8_2_a_sve;
    return instruction_level::armv9_a;
}

[[nodiscard]] constexpr instruction_level level_of(processor_words const& p) noexcept
{
    return own_levels.has(instruction_level::armv9_a)     ? arm_level_of(p)
           : own_levels.has(instruction_level::x86_64_v4) ? x86_level_of(p)
                                                          : instruction_level::base;
}

/// Reads this processor; zeros if that is impossible.
[[nodiscard]] inline processor_words read_processor() noexcept
{
    processor_words out;
#ifdef ATTUNE_BAKED_HAS_CPUID
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(0, &a, &b, &c, &d) == 0) return out;
    std::memcpy(out.vendor.data(), &b, 4);
    std::memcpy(out.vendor.data() + 4, &d, 4);
    std::memcpy(out.vendor.data() + 8, &c, 4);
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return out;
    out.leaf_1_ecx = c;
    std::uint32_t const family = a >> 8 & 0xfu;
    out.family = family == 0xf ? family + (a >> 20 & 0xffu) : family;
    out.model = (a >> 4 & 0xfu) | (family >= 6 ? (a >> 12 & 0xf0u) : 0);
    bool const can_ask = (c >> 27 & 1u) != 0; // OSXSAVE
    if (can_ask) {
        std::uint32_t low = 0, high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        out.saved = std::uint64_t{high} << 32 | low;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) out.leaf_7_ebx = b;
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d) != 0) out.extended_1_ecx = c;
#elif defined(ATTUNE_BAKED_HAS_HWCAP)
    out.hwcap = hwcap_of_process();
    out.hwcap2 = hwcap2_of_process();
    constexpr std::uint64_t gives_registers = std::uint64_t{1} << 11; // HWCAP_CPUID
    if ((out.hwcap & gives_registers) == 0) return out;
    std::uint64_t const midr = midr_of_process("");
    out.family = static_cast<std::uint32_t>(midr >> 24 & 0xffu);
    out.model = static_cast<std::uint32_t>(midr >> 4 & 0xfffu);
    out.vendor = {'0', 'x', "0123456789abcdef"[out.family >> 4],
                  "0123456789abcdef"[out.family & 0xfu]};
#endif
    return out;
}

/// The result of read_processor(), read once.
[[nodiscard]] inline processor_words const& words_of_this_processor() noexcept
{
    static processor_words const words = read_processor();
    return words;
}

} // namespace attune::inline ATTUNE_ABI::detail
