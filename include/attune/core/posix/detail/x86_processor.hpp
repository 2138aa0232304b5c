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

/// Reads a leaf that is at most `last`, which is a word of the first leaf of its range.
[[nodiscard]] inline cpuid_leaf read_cpuid(std::uint32_t last, std::uint32_t leaf,
                                           std::uint32_t part = 0)
{
    cpuid_leaf out{};
    if (leaf <= last) __cpuid_count(leaf, part, out[0], out[1], out[2], out[3]);
    return out;
}

/// The leaves that attune uses. Each is read once: in a virtual machine a read takes microseconds.
struct cpuid_leaves {
    cpuid_leaf vendor = read_cpuid(0, 0);
    cpuid_leaf version = read_cpuid(vendor[0], 1);
    cpuid_leaf features = read_cpuid(vendor[0], 7);
    cpuid_leaf more_features = read_cpuid(vendor[0], 7, 1);
    std::uint32_t last_extended = read_cpuid(0x80000000U, 0x80000000U)[0];
    cpuid_leaf extended = read_cpuid(last_extended, 0x80000001U);
    std::array<cpuid_leaf, 3> brand{read_cpuid(last_extended, 0x80000002U),
                                    read_cpuid(last_extended, 0x80000003U),
                                    read_cpuid(last_extended, 0x80000004U)};
};

[[nodiscard]] inline cpuid_leaves const& cpuid()
{
    static cpuid_leaves const all;
    return all;
}

/// A feature that code may use: the kernel's name for it, and its bit in CPUID.
struct cpuid_feature {
    char const* name;
    cpuid_leaf cpuid_leaves::* leaf;
    unsigned in_register; ///< 0: eax, 1: ebx, 2: ecx, 3: edx
    unsigned bit;
};

inline constexpr cpuid_feature cpuid_features[] = {
    {"pni", &cpuid_leaves::version, 2, 0},
    {"pclmulqdq", &cpuid_leaves::version, 2, 1},
    {"ssse3", &cpuid_leaves::version, 2, 9},
    {"fma", &cpuid_leaves::version, 2, 12},
    {"cx16", &cpuid_leaves::version, 2, 13},
    {"sse4_1", &cpuid_leaves::version, 2, 19},
    {"sse4_2", &cpuid_leaves::version, 2, 20},
    {"movbe", &cpuid_leaves::version, 2, 22},
    {"popcnt", &cpuid_leaves::version, 2, 23},
    {"aes", &cpuid_leaves::version, 2, 25},
    {"xsave", &cpuid_leaves::version, 2, 26},
    {"avx", &cpuid_leaves::version, 2, 28},
    {"f16c", &cpuid_leaves::version, 2, 29},
    {"rdrand", &cpuid_leaves::version, 2, 30},
    {"lahf_lm", &cpuid_leaves::extended, 2, 0},
    {"abm", &cpuid_leaves::extended, 2, 5},
    {"sse4a", &cpuid_leaves::extended, 2, 6},
    {"fma4", &cpuid_leaves::extended, 2, 16},
    {"bmi1", &cpuid_leaves::features, 1, 3},
    {"avx2", &cpuid_leaves::features, 1, 5},
    {"bmi2", &cpuid_leaves::features, 1, 8},
    {"avx512f", &cpuid_leaves::features, 1, 16},
    {"avx512dq", &cpuid_leaves::features, 1, 17},
    {"rdseed", &cpuid_leaves::features, 1, 18},
    {"adx", &cpuid_leaves::features, 1, 19},
    {"avx512ifma", &cpuid_leaves::features, 1, 21},
    {"avx512cd", &cpuid_leaves::features, 1, 28},
    {"sha_ni", &cpuid_leaves::features, 1, 29},
    {"avx512bw", &cpuid_leaves::features, 1, 30},
    {"avx512vl", &cpuid_leaves::features, 1, 31},
    {"avx512vbmi", &cpuid_leaves::features, 2, 1},
    {"avx512_vbmi2", &cpuid_leaves::features, 2, 6},
    {"gfni", &cpuid_leaves::features, 2, 8},
    {"vaes", &cpuid_leaves::features, 2, 9},
    {"vpclmulqdq", &cpuid_leaves::features, 2, 10},
    {"avx512_vnni", &cpuid_leaves::features, 2, 11},
    {"avx512_bitalg", &cpuid_leaves::features, 2, 12},
    {"avx512_vpopcntdq", &cpuid_leaves::features, 2, 14},
    {"avx512_vp2intersect", &cpuid_leaves::features, 3, 8},
    {"amx_bf16", &cpuid_leaves::features, 3, 22},
    {"avx512_fp16", &cpuid_leaves::features, 3, 23},
    {"amx_tile", &cpuid_leaves::features, 3, 24},
    {"amx_int8", &cpuid_leaves::features, 3, 25},
    {"avx_vnni", &cpuid_leaves::more_features, 0, 4},
    {"avx512_bf16", &cpuid_leaves::more_features, 0, 5},
};

/// "flags" without the features that the processor of this process lacks.
[[nodiscard]] inline std::string features_in_process(std::string_view flags)
{
    std::string out;
    for (std::string_view rest = flags; !rest.empty();) {
        std::size_t const end = std::min(rest.find(' '), rest.size());
        std::string_view const name = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        auto const known = std::find_if(std::begin(cpuid_features), std::end(cpuid_features),
                                        [&](cpuid_feature const& f) { return name == f.name; });
        if (known != std::end(cpuid_features) &&
            ((cpuid().*known->leaf)[known->in_register] >> known->bit & 1) == 0)
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
[[nodiscard]] inline std::string line_in_process(std::string const& line)
{
    std::size_t const colon = line.find(':');
    if (colon == line.npos || colon + 2 > line.size()) return line;
    std::string const head = line.substr(0, colon + 2);
    std::string_view const name = std::string_view(line).substr(0, line.find_first_of("\t:"));
    cpuid_leaf const& first = cpuid().vendor;
    std::uint32_t const version = cpuid().version[0];
    std::uint32_t const family = version >> 8 & 0xf;
    if (name == "vendor_id") return head + text_of_registers({first[1], first[3], first[2]});
    if (name == "cpu family")
        return head + std::to_string(family + (family == 0xf ? version >> 20 & 0xff : 0));
    if (name == "model")
        return head + std::to_string((version >> 4 & 0xf) +
                                     (family >= 6 ? (version >> 16 & 0xf) << 4 : 0));
    if (name == "stepping") return head + std::to_string(version & 0xf);
    if (name == "flags")
        return head + features_in_process(std::string_view(line).substr(colon + 2));
    if (name != "model name") return line;
    std::vector<std::uint32_t> brand;
    for (cpuid_leaf const& leaf : cpuid().brand)
        brand.insert(brand.end(), leaf.begin(), leaf.end());
    std::string const text = text_of_registers(brand);
    return text.empty() ? line : head + text;
}

/// The lines of /proc/cpuinfo, with values that the processor of this process reports.
[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    for (std::string& line : lines)
        line = line_in_process(line);
    return lines;
}

/// Registers that differ between models. Leaves out ebx of leaf 1, which holds the number of the
/// core.
[[nodiscard]] inline std::string identity_words()
{
    std::string out;
    cpuid_leaf const& one = cpuid().version;
    for (std::uint32_t const word : {one[0], one[2], one[3]})
        out += std::to_string(word) + ' ';
    for (cpuid_leaf const& leaf : {cpuid().features, cpuid().more_features, cpuid().extended})
        for (std::uint32_t const word : leaf)
            out += std::to_string(word) + ' ';
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
