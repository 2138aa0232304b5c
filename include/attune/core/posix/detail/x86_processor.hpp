// attune/core/posix/detail/x86_processor.hpp - what an x86-64 processor reports to this process: CPUID.
// SPDX-License-Identifier: MIT
// Source   Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The registers eax, ebx, ecx and edx of a leaf of CPUID; zeros if the processor lacks it.
using cpuid_leaf = std::array<std::uint32_t, 4>;

[[nodiscard]] inline cpuid_leaf cpuid_of(std::uint32_t leaf, std::uint32_t part = 0)
{
    cpuid_leaf out{};
    if (__get_cpuid_count(leaf, part, &out[0], &out[1], &out[2], &out[3]) == 0) return {};
    return out;
}

/// Reads each leaf once: in a virtual machine a read may take microseconds.
class cpuid_reader {
public:
    [[nodiscard]] cpuid_leaf of(std::uint32_t leaf, std::uint32_t part = 0)
    {
        std::pair const which{leaf, part};
        for (auto const& [read, words] : read_)
            if (read == which) return words;
        return read_.emplace_back(which, cpuid_of(leaf, part)).second;
    }

private:
    std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, cpuid_leaf>> read_{};
};

/// A feature that code may use: the kernel's name for it, and its bit in CPUID.
struct cpuid_feature {
    char const* name;
    std::uint32_t leaf, part;
    unsigned in_register; ///< 0: eax, 1: ebx, 2: ecx, 3: edx
    unsigned bit;
};

inline constexpr std::uint32_t extended = 0x80000001U;
inline constexpr cpuid_feature cpuid_features[] = {
    {"pni", 1, 0, 2, 0},
    {"pclmulqdq", 1, 0, 2, 1},
    {"ssse3", 1, 0, 2, 9},
    {"fma", 1, 0, 2, 12},
    {"cx16", 1, 0, 2, 13},
    {"sse4_1", 1, 0, 2, 19},
    {"sse4_2", 1, 0, 2, 20},
    {"movbe", 1, 0, 2, 22},
    {"popcnt", 1, 0, 2, 23},
    {"aes", 1, 0, 2, 25},
    {"xsave", 1, 0, 2, 26},
    {"avx", 1, 0, 2, 28},
    {"f16c", 1, 0, 2, 29},
    {"rdrand", 1, 0, 2, 30},
    {"lahf_lm", extended, 0, 2, 0},
    {"abm", extended, 0, 2, 5},
    {"sse4a", extended, 0, 2, 6},
    {"fma4", extended, 0, 2, 16},
    {"bmi1", 7, 0, 1, 3},
    {"avx2", 7, 0, 1, 5},
    {"bmi2", 7, 0, 1, 8},
    {"avx512f", 7, 0, 1, 16},
    {"avx512dq", 7, 0, 1, 17},
    {"rdseed", 7, 0, 1, 18},
    {"adx", 7, 0, 1, 19},
    {"avx512ifma", 7, 0, 1, 21},
    {"avx512cd", 7, 0, 1, 28},
    {"sha_ni", 7, 0, 1, 29},
    {"avx512bw", 7, 0, 1, 30},
    {"avx512vl", 7, 0, 1, 31},
    {"avx512vbmi", 7, 0, 2, 1},
    {"avx512_vbmi2", 7, 0, 2, 6},
    {"gfni", 7, 0, 2, 8},
    {"vaes", 7, 0, 2, 9},
    {"vpclmulqdq", 7, 0, 2, 10},
    {"avx512_vnni", 7, 0, 2, 11},
    {"avx512_bitalg", 7, 0, 2, 12},
    {"avx512_vpopcntdq", 7, 0, 2, 14},
    {"avx512_vp2intersect", 7, 0, 3, 8},
    {"amx_bf16", 7, 0, 3, 22},
    {"avx512_fp16", 7, 0, 3, 23},
    {"amx_tile", 7, 0, 3, 24},
    {"amx_int8", 7, 0, 3, 25},
    {"avx_vnni", 7, 1, 0, 4},
    {"avx512_bf16", 7, 1, 0, 5},
};

/// "flags" without the features that the processor of this process lacks.
[[nodiscard]] inline std::string features_in_process(std::string_view flags, cpuid_reader& cpuid)
{
    std::string out;
    for (std::string_view rest = flags; !rest.empty();) {
        std::size_t const end = std::min(rest.find(' '), rest.size());
        std::string_view const name = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        auto const known = std::find_if(std::begin(cpuid_features), std::end(cpuid_features),
                                        [&](cpuid_feature const& f) { return name == f.name; });
        if (known != std::end(cpuid_features) &&
            (cpuid.of(known->leaf, known->part)[known->in_register] >> known->bit & 1) == 0)
            continue;
        out += (out.empty() ? "" : " ") + std::string(name);
    }
    return out;
}

[[nodiscard]] inline std::string text_of_registers(std::vector<std::uint32_t> const& registers)
{
    std::string out(registers.size() * sizeof(std::uint32_t), '\0');
    std::memcpy(out.data(), registers.data(), out.size());
    out.resize(std::min(out.find('\0'), out.size()));
    std::size_t const begin = std::min(out.find_first_not_of(' '), out.size());
    return out.substr(begin, out.find_last_not_of(' ') + 1 - begin);
}

/// The line, with values that the processor of this process reports.
[[nodiscard]] inline std::string line_in_process(std::string const& line, cpuid_reader& cpuid)
{
    std::size_t const colon = line.find(':');
    if (colon == line.npos || colon + 2 > line.size()) return line;
    std::string const head = line.substr(0, colon + 2);
    std::string_view const name = std::string_view(line).substr(0, line.find_first_of("\t:"));
    cpuid_leaf const first = cpuid.of(0);
    std::uint32_t const version = cpuid.of(1)[0];
    std::uint32_t const family = version >> 8 & 0xf;
    if (name == "vendor_id") return head + text_of_registers({first[1], first[3], first[2]});
    if (name == "cpu family")
        return head + std::to_string(family + (family == 0xf ? version >> 20 & 0xff : 0));
    if (name == "model")
        return head + std::to_string((version >> 4 & 0xf) +
                                     (family >= 6 ? (version >> 16 & 0xf) << 4 : 0));
    if (name == "stepping") return head + std::to_string(version & 0xf);
    if (name == "flags")
        return head + features_in_process(std::string_view(line).substr(colon + 2), cpuid);
    if (name != "model name") return line;
    std::vector<std::uint32_t> brand;
    for (std::uint32_t leaf = 0x80000002U; leaf <= 0x80000004U; ++leaf)
        for (std::uint32_t const word : cpuid.of(leaf))
            brand.push_back(word);
    std::string const text = text_of_registers(brand);
    return text.empty() ? line : head + text;
}

/// The lines of /proc/cpuinfo, with values that the processor of this process reports.
[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    cpuid_reader cpuid;
    for (std::string& line : lines)
        line = line_in_process(line, cpuid);
    return lines;
}

/// Registers that differ between models. Leaves out ebx of leaf 1, which holds the number of the
/// core.
[[nodiscard]] inline std::string identity_words()
{
    std::string out;
    cpuid_leaf const one = cpuid_of(1);
    for (std::uint32_t const word : {one[0], one[2], one[3]})
        out += std::to_string(word) + ' ';
    for (cpuid_leaf const& leaf : {cpuid_of(7), cpuid_of(7, 1), cpuid_of(extended)})
        for (std::uint32_t const word : leaf)
            out += std::to_string(word) + ' ';
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
