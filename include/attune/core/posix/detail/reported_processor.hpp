// attune/core/posix/detail/reported_processor.hpp - what the processor reports to this process: CPUID on x86-64; on AArch64 MIDR_EL1, HWCAP and the length of SVE.
// SPDX-License-Identifier: MIT
// Source   Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E
// Source   Linux: Documentation/arch/arm64/cpu-feature-registers.rst, elf_hwcaps.rst, sve.rst;
//          Arm ARM: MIDR_EL1; the part numbers are those of util-linux, lscpu-arm.c
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// See machine_figures.hpp, whose definitions use this file.
[[nodiscard]] std::vector<int> processors_of_task(int thread);

/// The fields of MIDR_EL1, which names the model of a core.
struct arm_model {
    std::uint32_t implementer = 0; ///< 0x41: Arm
    std::uint32_t part = 0;        ///< 0xd0c: Neoverse-N1
    std::uint32_t variant = 0;
    std::uint32_t revision = 0;

    [[nodiscard]] static constexpr arm_model of(std::uint64_t midr) noexcept
    {
        auto const word = static_cast<std::uint32_t>(midr);
        return {word >> 24 & 0xff, word >> 4 & 0xfff, word >> 20 & 0xf, word & 0xf};
    }
    [[nodiscard]] friend constexpr bool operator==(arm_model, arm_model) = default;
};

struct arm_name {
    std::uint32_t implementer, part;
    char const* name;
};

inline constexpr arm_name arm_names[] = {
    {0x41, 0xd03, "Cortex-A53"},   {0x41, 0xd04, "Cortex-A35"},   {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},   {0x41, 0xd08, "Cortex-A72"},   {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},   {0x41, 0xd0b, "Cortex-A76"},   {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},   {0x41, 0xd40, "Neoverse-V1"},  {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},    {0x41, 0xd46, "Cortex-A510"},  {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},    {0x41, 0xd49, "Neoverse-N2"},  {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},    {0x41, 0xd4f, "Neoverse-V2"},  {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},  {0x41, 0xd82, "Cortex-X4"},    {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"},  {0x42, 0x516, "ThunderX2"},    {0x43, 0x0af, "ThunderX2"},
    {0x46, 0x001, "A64FX"},        {0x48, 0xd01, "TaiShan-v110"}, {0x48, 0xd02, "TaiShan-v120"},
    {0x50, 0x000, "X-Gene"},       {0x51, 0xc00, "Falkor"},       {0x61, 0x022, "Icestorm-M1"},
    {0x61, 0x023, "Firestorm-M1"}, {0x61, 0x032, "Blizzard-M2"},  {0x61, 0x033, "Avalanche-M2"},
    {0xc0, 0xac3, "Ampere-1"},     {0xc0, 0xac4, "Ampere-1a"},
};

struct arm_maker {
    std::uint32_t implementer;
    char const* name;
};

inline constexpr arm_maker arm_makers[] = {
    {0x41, "Arm"},       {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"},
    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},   {0x50, "APM"},    {0x51, "Qualcomm"},
    {0x61, "Apple"},     {0xc0, "Ampere"},
};

/// "Arm Neoverse-N1", or "Arm 0xd99" for an unknown part.
[[nodiscard]] inline std::string name_of(arm_model const& model)
{
    std::string out = hexadecimal_text(model.implementer, 2);
    for (arm_maker const& maker : arm_makers)
        if (maker.implementer == model.implementer) out = maker.name;
    for (arm_name const& known : arm_names)
        if (known.implementer == model.implementer && known.part == model.part)
            return out + ' ' + known.name;
    return out + ' ' + hexadecimal_text(model.part, 3);
}

/// Names of the bits of HWCAP, then of HWCAP2, as in /proc/cpuinfo.
inline constexpr std::string_view arm_features[2] = {
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma "
    "lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg",
    "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm svef64mm "
    "svebf16 i8mm bf16 dgh rng bti mte ecv afp rpres mte3 sme smei16i64 smef64f64 smei8i32 "
    "smef16f32 smeb16f32 smef32f32 smefa64 wfxt"};

[[nodiscard]] inline std::string features_of(std::uint64_t hwcap, std::uint64_t hwcap2)
{
    std::string out;
    for (std::size_t word = 0; word < 2; ++word) {
        std::uint64_t bits = word == 0 ? hwcap : hwcap2;
        for (std::string_view rest = arm_features[word]; !rest.empty(); bits >>= 1) {
            std::size_t const end = std::min(rest.find(' '), rest.size());
            if ((bits & 1) != 0) out += (out.empty() ? "" : " ") + std::string(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return out;
}

/// The kinds of cores among these processors, the strongest first; empty if /sys has none of them.
/// @param root  prefix of /sys
[[nodiscard]] inline std::vector<arm_model> arm_cores(std::string const& root,
                                                      std::vector<int> const& processors)
{
    struct kind {
        arm_model model{};
        long capacity = 0; ///< relative speed: 1024 for the strongest core of the machine
    };
    std::vector<kind> found;
    for (int const processor : processors) {
        std::string const folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(processor);
        std::ifstream file(folder + "/regs/identification/midr_el1");
        std::uint64_t midr = 0;
        if (!(file >> std::hex >> midr)) continue;
        kind one{arm_model::of(midr)};
        std::ifstream(folder + "/cpu_capacity") >> one.capacity;
        if (std::none_of(found.begin(), found.end(),
                         [&](kind const& known) { return known.model == one.model; }))
            found.push_back(one);
    }
    sort_stably(found, [](kind const& a, kind const& b) { return a.capacity > b.capacity; });
    std::vector<arm_model> out;
    for (kind const& one : found)
        out.push_back(one.model);
    return out;
}

/// The lines about these cores, in the form of /proc/cpuinfo. "cpu family" is the implementer,
/// "model" the part; "stepping" holds variant and revision, then the numbers of further cores.
/// @param sve_bytes  length of SVE's vectors; 0: there is no SVE
[[nodiscard]] inline std::vector<std::string>
arm_lines(std::vector<arm_model> const& cores, std::string const& features, std::uint32_t sve_bytes)
{
    std::string name;
    std::string stepping;
    for (arm_model const& core : cores) {
        name += (name.empty() ? "" : " + ") + name_of(core);
        if (!stepping.empty())
            stepping +=
                '+' + std::to_string(core.implementer) + '.' + std::to_string(core.part) + '.';
        stepping += std::to_string(core.variant) + '.' + std::to_string(core.revision);
    }
    if (sve_bytes != 0) name += " SVE-" + std::to_string(8 * sve_bytes);
    arm_model const& first = cores.front();
    std::vector<std::string> out{"model name\t: " + name,
                                 "cpu family\t: " + std::to_string(first.implementer),
                                 "model\t\t: " + std::to_string(first.part),
                                 "stepping\t: " + stepping,
                                 "Features\t: " + features,
                                 "CPU implementer\t: " + hexadecimal_text(first.implementer, 2),
                                 "CPU part\t: " + hexadecimal_text(first.part, 3)};
    if (sve_bytes != 0) out.push_back("SVE bytes\t: " + std::to_string(sve_bytes));
    return out;
}

#if defined(__x86_64__)

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

/// The leaves that attune uses, each read once: in a virtual machine a read takes microseconds.
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
[[nodiscard]] inline std::string features_in_process(std::string_view flags,
                                                     cpuid_leaves const& cpuid)
{
    std::string out;
    for (std::string_view rest = flags; !rest.empty();) {
        std::size_t const end = std::min(rest.find(' '), rest.size());
        std::string_view const name = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        auto const known = std::find_if(std::begin(cpuid_features), std::end(cpuid_features),
                                        [&](cpuid_feature const& f) { return name == f.name; });
        if (known != std::end(cpuid_features) &&
            ((cpuid.*known->leaf)[known->in_register] >> known->bit & 1) == 0)
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
[[nodiscard]] inline std::string line_in_process(std::string const& line, cpuid_leaves const& cpuid)
{
    std::size_t const colon = line.find(':');
    if (colon == line.npos || colon + 2 > line.size()) return line;
    std::string const head = line.substr(0, colon + 2);
    std::string_view const name = std::string_view(line).substr(0, line.find_first_of("\t:"));
    cpuid_leaf const& first = cpuid.vendor;
    std::uint32_t const version = cpuid.version[0];
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
    for (cpuid_leaf const& leaf : cpuid.brand)
        brand.insert(brand.end(), leaf.begin(), leaf.end());
    std::string const text = text_of_registers(brand);
    return text.empty() ? line : head + text;
}

/// The lines of /proc/cpuinfo, with values that the processor of this process reports.
[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    cpuid_leaves const cpuid;
    for (std::string& line : lines)
        line = line_in_process(line, cpuid);
    return lines;
}

/// Registers that differ between models. Leaves out ebx of leaf 1, which holds the number of the
/// core.
[[nodiscard]] inline std::string identity_words()
{
    std::string out;
    cpuid_leaves const cpuid;
    cpuid_leaf const& one = cpuid.version;
    for (std::uint32_t const word : {one[0], one[2], one[3]})
        out += std::to_string(word) + ' ';
    for (cpuid_leaf const& leaf : {cpuid.features, cpuid.more_features, cpuid.extended})
        for (std::uint32_t const word : leaf)
            out += std::to_string(word) + ' ';
    return out;
}

#elif defined(__aarch64__)

/// Bytes of the calling thread's SVE vectors; 0: the processor has no SVE.
[[nodiscard]] inline std::uint32_t sve_bytes() noexcept
{
    constexpr int get_length = 51; // PR_SVE_GET_VL
    int const length = ::prctl(get_length, 0UL, 0UL, 0UL, 0UL);
    return length < 0 ? 0 : static_cast<std::uint32_t>(length) & 0xffffU;
}

[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    std::vector<arm_model> cores = arm_cores("", processors_of_task(::getpid()));
    std::uint64_t const hwcap = ::getauxval(AT_HWCAP);
    constexpr std::uint64_t gives_registers = std::uint64_t{1} << 11; // HWCAP_CPUID
    if (cores.empty() && (hwcap & gives_registers) != 0) {
        std::uint64_t midr = 0;
        asm("mrs %0, midr_el1" : "=r"(midr)); // the system answers for the processor
        cores.push_back(arm_model::of(midr));
    }
    if (cores.empty()) return lines;
    return arm_lines(cores, features_of(hwcap, ::getauxval(AT_HWCAP2)), sve_bytes());
}

/// Nothing: the lines and HWCAP have all.
[[nodiscard]] inline std::string identity_words() { return {}; }

#else

[[nodiscard]] inline std::vector<std::string> lines_in_process(std::vector<std::string> lines)
{
    return lines;
}
[[nodiscard]] inline std::string identity_words() { return {}; }

#endif

} // namespace attune::inline ATTUNE_ABI::detail
