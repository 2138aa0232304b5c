// tests/ship/baked/instruction_level.cpp - no level is said to be there of which one instruction is missing.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/instruction_level.hpp>

#include <attune/core/posix/machine_figures.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "../../support/scratch_directory.hpp"

using attune::detail::arm_level_of;
using attune::detail::instruction_level;
using attune::detail::level_of;
using attune::detail::processor_words;
using attune::detail::runs;
using attune::detail::x86_level_of;

namespace {

constexpr processor_words everything()
{
    processor_words out;
    out.leaf_1_ecx = out.leaf_7_ebx = out.extended_1_ecx = ~0u;
    out.saved = ~std::uint64_t{0};
    return out;
}
constexpr instruction_level without(std::uint32_t processor_words::* word, int bit)
{
    processor_words p = everything();
    p.*word &= ~(1u << bit);
    return x86_level_of(p);
}

} // namespace

TEST_CASE("each instruction of a level is needed for it")
{
    CHECK(x86_level_of(everything()) == instruction_level::x86_64_v4);
    CHECK(x86_level_of({}) == instruction_level::base);
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT
    for (int const bit : {0, 9, 13, 19, 20, 23})
        CHECK(without(&processor_words::leaf_1_ecx, bit) == instruction_level::base);
    // FMA, MOVBE, OSXSAVE, AVX, F16C
    for (int const bit : {12, 22, 27, 28, 29})
        CHECK(without(&processor_words::leaf_1_ecx, bit) == instruction_level::x86_64_v2);
    CHECK(without(&processor_words::extended_1_ecx, 0) == instruction_level::base);      // LAHF
    CHECK(without(&processor_words::extended_1_ecx, 5) == instruction_level::x86_64_v2); // LZCNT
    for (int const bit : {3, 5, 8}) // BMI1, AVX2, BMI2
        CHECK(without(&processor_words::leaf_7_ebx, bit) == instruction_level::x86_64_v2);
    for (int const bit : {16, 17, 28, 30, 31}) // AVX512F, DQ, CD, BW, VL
        CHECK(without(&processor_words::leaf_7_ebx, bit) == instruction_level::x86_64_v3);
}

TEST_CASE("registers that the system does not keep are not used")
{
    processor_words p = everything();
    p.saved = 0x1; // no AVX
    CHECK(x86_level_of(p) == instruction_level::x86_64_v2);
    p.saved = 0x7; // no AVX-512
    CHECK(x86_level_of(p) == instruction_level::x86_64_v3);
    p.saved = 0xe7;
    CHECK(x86_level_of(p) == instruction_level::x86_64_v4);
}

TEST_CASE("each feature of a level of AArch64 is needed for it")
{
    auto const without = [](int bit, int bit_of_2) {
        processor_words p;
        p.hwcap = p.hwcap2 = ~std::uint64_t{0};
        if (bit >= 0) p.hwcap &= ~(std::uint64_t{1} << bit);
        if (bit_of_2 >= 0) p.hwcap2 &= ~(std::uint64_t{1} << bit_of_2);
        return arm_level_of(p);
    };
    CHECK(without(-1, -1) == instruction_level::armv9_a);
    CHECK(arm_level_of({}) == instruction_level::base);
    for (int const bit : {1, 7, 8, 12}) // ASIMD, CRC32, ATOMICS, ASIMDRDM
        CHECK(without(bit, -1) == instruction_level::base);
    for (int const bit : {9, 10, 16}) // FPHP, ASIMDHP, DCPOP
        CHECK(without(bit, -1) == instruction_level::armv8_1_a);
    CHECK(without(22, -1) == instruction_level::armv8_2_a_fp16);
    // JSCVT, FCMA, LRCPC, ASIMDDP, ASIMDFHM, DIT, USCAT, ILRCPC, FLAGM, SB, PACA, PACG
    for (int const bit : {13, 14, 15, 20, 23, 24, 25, 26, 27, 29, 30, 31})
        CHECK(without(bit, -1) == instruction_level::armv8_2_a_sve);
    for (int const bit : {0, 1, 7, 8}) // DCPODP, SVE2, FLAGM2, FRINT
        CHECK(without(-1, bit) == instruction_level::armv8_2_a_sve);
    // What Linux reports: Neoverse-N1 (Graviton2), A64FX.
    processor_words machine;
    machine.hwcap = 0x119ffb;
    CHECK(arm_level_of(machine) == instruction_level::armv8_2_a_fp16);
    machine.hwcap = 0x415ffb;
    CHECK(arm_level_of(machine) == instruction_level::armv8_2_a_sve);
}

TEST_CASE("code runs on processors of its level and above, of its architecture alone")
{
    CHECK(runs(instruction_level::base, instruction_level::base));
    CHECK(runs(instruction_level::x86_64_v3, instruction_level::x86_64_v2));
    CHECK(runs(instruction_level::armv9_a, instruction_level::armv8_2_a_sve));
    CHECK(runs(instruction_level::armv9_a, instruction_level::base));
    CHECK_FALSE(runs(instruction_level::x86_64_v2, instruction_level::x86_64_v3));
    CHECK_FALSE(runs(instruction_level::armv9_a, instruction_level::x86_64_v2));
    CHECK_FALSE(runs(instruction_level::x86_64_v4, instruction_level::armv8_1_a));
    CHECK_FALSE(runs(instruction_level::base, instruction_level::armv8_1_a));
    using attune::detail::instruction_level_up_to;
    CHECK(instruction_level_up_to("") == attune::detail::own_levels.highest);
    CHECK(instruction_level_up_to("armv10-a") == instruction_level::base);
#if defined(__aarch64__)
    CHECK(instruction_level_up_to("armv8.2-a+sve") == instruction_level::armv8_2_a_sve);
    CHECK(instruction_level_up_to("x86-64-v3") == instruction_level::base);
#elif defined(__x86_64__)
    CHECK(instruction_level_up_to("x86-64-v3") == instruction_level::x86_64_v3);
    CHECK(instruction_level_up_to("armv8.2-a+sve") == instruction_level::base);
#endif
}

#ifdef ATTUNE_BAKED_HAS_HWCAP
TEST_CASE("where cores differ, the processor is the strongest that the process may use")
{
    support::scratch_directory const folder;
    std::vector<int> const mine = attune::detail::processors_of_task(::getpid());
    REQUIRE_FALSE(mine.empty());
    for (int const p : mine) {
        std::string const cpu = "sys/devices/system/cpu/cpu" + std::to_string(p);
        std::filesystem::create_directories(folder.file(cpu + "/regs/identification"));
        bool const is_last = p == mine.back();
        support::write_file(folder.file(cpu + "/cpu_capacity"), is_last ? "1024\n" : "446\n");
        support::write_file(folder.file(cpu + "/regs/identification/midr_el1"),
                            is_last ? "0x00000000410fd440\n" : "0x00000000412fd050\n");
    }
    CHECK(attune::detail::midr_of_process(folder.path().c_str()) == 0x410fd440);
    CHECK((attune::detail::midr_of_process("/nowhere") >> 24) ==
          attune::detail::words_of_this_processor().family);
}
#endif

TEST_CASE("this processor is the one that the system describes")
{
    processor_words const& mine = attune::detail::words_of_this_processor();
    std::string vendor, family, model, flags;
    for (std::string const& line : attune::detail::processor_lines()) {
        std::string const value{attune::detail::processor_value(line)};
        if (line.starts_with("vendor_id") || line.starts_with("CPU implementer")) vendor = value;
        if (line.starts_with("cpu family")) family = value;
        if (line.starts_with("model\t")) model = value;
        if (line.starts_with("flags") || line.starts_with("Features")) flags = ' ' + value + ' ';
    }
    if (vendor.empty()) {
        MESSAGE("skipped: this processor has neither CPUID nor HWCAP");
        return;
    }
    CHECK(vendor == mine.vendor.data());
    CHECK(family == std::to_string(mine.family));
    CHECK(model == std::to_string(mine.model));
    auto const has = [&](char const* flag) {
        return flags.find(' ' + std::string(flag) + ' ') != std::string::npos;
    };
    if (attune::detail::own_levels.has(instruction_level::armv9_a)) {
        CHECK((has("sve") && has("fphp")) == (level_of(mine) >= instruction_level::armv8_2_a_sve));
        CHECK((has("sve2") && has("sb") && has("flagm2") && has("uscat") && has("paca") &&
               has("pacg") && has("asimdfhm") && has("dit")) ==
              (level_of(mine) == instruction_level::armv9_a));
        return;
    }
    bool const has_v4 = has("avx512f") && has("avx512bw") && has("avx512cd") && has("avx512dq") &&
                        has("avx512vl") && has("avx2") && has("bmi2") && has("fma");
    CHECK(has_v4 == (level_of(mine) == instruction_level::x86_64_v4));
    CHECK(has("avx2") == (level_of(mine) >= instruction_level::x86_64_v3));
}
