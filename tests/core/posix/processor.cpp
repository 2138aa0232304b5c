// tests/core/posix/processor.cpp - what the system says about the processor.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/detail/reported_processor.hpp>
#include <attune/core/posix/machine_figures.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "../../support/scratch_directory.hpp"

using attune::detail::arm_cores;
using attune::detail::arm_lines;
using attune::detail::arm_model;
using attune::detail::processor_value;

namespace {

/// A system of AArch64 with two little cores, 0 and 1, and two big ones.
struct big_and_little {
    support::scratch_directory directory{};
    big_and_little()
    {
        for (int processor = 0; processor < 4; ++processor) {
            std::string const folder =
                "sys/devices/system/cpu/cpu" + std::to_string(processor) + '/';
            std::filesystem::create_directories(directory.file(folder + "regs/identification"));
            support::write_file(directory.file(folder + "regs/identification/midr_el1"),
                                processor < 2 ? "0x00000000412fd050\n" : "0x00000000414fd0b1\n");
            support::write_file(directory.file(folder + "cpu_capacity"),
                                processor < 2 ? "446\n" : "1024\n");
        }
    }
    [[nodiscard]] std::string name(std::vector<int> const& processors) const
    {
        std::string out;
        for (std::string const& line :
             arm_lines(arm_cores(directory.path(), processors), "fp asimd", 0))
            for (char const* const field : {"model name", "cpu family", "model\t", "stepping"})
                if (line.starts_with(field)) out += std::string(processor_value(line)) + '|';
        return out;
    }
};

} // namespace

TEST_CASE("the value of a line stands behind its colon")
{
    CHECK(processor_value("model name\t: Xeon 8: fast") == "Xeon 8: fast");
    CHECK(processor_value("power management:") == "");
    CHECK(processor_value("no colon") == "");
}

TEST_CASE("only the first processor is told of, a field a line")
{
    int first = 0;
    for (std::string const& line : attune::detail::processor_lines()) {
        CHECK_FALSE(line.empty());
        first += line.starts_with("processor") ? 1 : 0;
    }
    CHECK(first <= 1);
}

TEST_CASE("the facts of this processor are the same at each call, and not empty")
{
    std::string const facts = attune::detail::processor_facts();
    CHECK_FALSE(facts.empty());
    CHECK(attune::detail::processor_facts() == facts);
}

TEST_CASE("big and little cores are two processors, and both together a third")
{
    big_and_little const machine;
    CHECK(machine.name({0, 1}) == "Arm Cortex-A55|65|3333|2.0|");
    CHECK(machine.name({3}) == "Arm Cortex-A76|65|3339|4.1|");
    CHECK(machine.name({0, 1, 2, 3}) == "Arm Cortex-A76 + Arm Cortex-A55|65|3339|4.1+65.3333.2.0|");
    CHECK(arm_cores(machine.directory.path(), {7}).empty());
    CHECK(arm_cores(machine.directory.file("none"), {0}).empty());
}

TEST_CASE("a core that is not known has its numbers as a name, and SVE its length")
{
    auto const name = [](std::uint64_t midr, std::uint32_t sve_bytes) {
        return arm_lines({arm_model::of(midr)}, "", sve_bytes).front();
    };
    CHECK(name(0x461f0010, 64) == "model name\t: Fujitsu A64FX SVE-512");
    CHECK(name(0x411fd990, 0) == "model name\t: Arm 0xd99");
    CHECK(name(0x770f0000, 0) == "model name\t: 0x77 0x000");
}

TEST_CASE("each bit of HWCAP has the system's name")
{
    // The words of a Neoverse-N1 and its line in /proc/cpuinfo, without cpuid's neighbours.
    CHECK(attune::detail::features_of(0x119ffb, 0) ==
          "fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop "
          "asimddp");
    CHECK(attune::detail::features_of(std::uint64_t{1} << 22, 2) == "sve sve2");
    CHECK(attune::detail::features_of(std::uint64_t{1} << 31, 1u << 14) == "pacg bf16");
    CHECK(attune::detail::features_of(0, 0).empty());
}

#if defined(__aarch64__)
TEST_CASE("the lines are those of the processor of this process")
{
    // Under an emulator /proc/cpuinfo describes the processor of the host.
    std::string name, features, sve;
    for (std::string const& line : attune::detail::processor_lines()) {
        if (line.starts_with("model name")) name = processor_value(line);
        if (line.starts_with("Features")) features = ' ' + std::string(processor_value(line)) + ' ';
        if (line.starts_with("SVE bytes")) sve = processor_value(line);
    }
    CHECK_FALSE(name.empty());
    CHECK(features.find(" asimd ") != std::string::npos);
    CHECK((features.find(" sve ") != std::string::npos) ==
          ((::getauxval(AT_HWCAP) >> 22 & 1) != 0));
    if ((::getauxval(AT_HWCAP) >> 22 & 1) != 0) {
        unsigned long counted = 0; // by the processor
        asm(".arch_extension sve\n\tcntb %0" : "=r"(counted));
        CHECK(sve == std::to_string(counted));
    }
}
#endif

#if defined(__x86_64__)
TEST_CASE("features are those that the processor tells this process, not those of a file")
{
    // Under an emulator /proc/cpuinfo describes the processor of the host.
    std::string line;
    for (std::string const& one : attune::detail::processor_lines())
        if (one.starts_with("flags")) line = ' ' + std::string(processor_value(one)) + ' ';
    if (line.empty()) return;
    auto const has = [&](char const* name) {
        return line.find(' ' + std::string(name) + ' ') != std::string::npos;
    };
    CHECK(has("avx") == (__builtin_cpu_supports("avx") != 0));
    CHECK(has("avx2") == (__builtin_cpu_supports("avx2") != 0));
    CHECK(has("fma") == (__builtin_cpu_supports("fma") != 0));
    CHECK(has("avx512f") == (__builtin_cpu_supports("avx512f") != 0));
    CHECK(has("sse4_2") == (__builtin_cpu_supports("sse4.2") != 0));
}
#endif
