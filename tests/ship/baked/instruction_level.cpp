// tests/ship/baked/instruction_level.cpp - no level is said to be there of which one instruction is missing.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/instruction_level.hpp>

#include <attune/core/posix/processor.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

using attune::detail::instruction_level;
using attune::detail::level_of;
using attune::detail::processor_words;

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
    return level_of(p);
}

} // namespace

TEST_CASE("each instruction of a level is needed for it")
{
    CHECK(level_of(everything()) == instruction_level::x86_64_v4);
    CHECK(level_of({}) == instruction_level::base);
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
    CHECK(level_of(p) == instruction_level::x86_64_v2);
    p.saved = 0x7; // no AVX-512
    CHECK(level_of(p) == instruction_level::x86_64_v3);
    p.saved = 0xe7;
    CHECK(level_of(p) == instruction_level::x86_64_v4);
}

TEST_CASE("this processor is the one that the system describes")
{
    processor_words const& mine = attune::detail::words_of_this_processor();
    std::string vendor, family, model, flags;
    for (std::string const& line : attune::detail::processor_lines()) {
        std::string const value{attune::detail::processor_value(line)};
        if (line.starts_with("vendor_id")) vendor = value;
        if (line.starts_with("cpu family")) family = value;
        if (line.starts_with("model\t")) model = value;
        if (line.starts_with("flags")) flags = ' ' + value + ' ';
    }
    if (vendor.empty()) {
        MESSAGE("skipped: this is no x86-64 processor");
        return;
    }
    CHECK(vendor == mine.vendor.data());
    CHECK(family == std::to_string(mine.family));
    CHECK(model == std::to_string(mine.model));
    auto const has = [&](char const* flag) {
        return flags.find(' ' + std::string(flag) + ' ') != std::string::npos;
    };
    bool const has_v4 = has("avx512f") && has("avx512bw") && has("avx512cd") && has("avx512dq") &&
                        has("avx512vl") && has("avx2") && has("bmi2") && has("fma");
    CHECK(has_v4 == (level_of(mine) == instruction_level::x86_64_v4));
    CHECK(has("avx2") == (level_of(mine) >= instruction_level::x86_64_v3));
}
