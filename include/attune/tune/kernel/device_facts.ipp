// attune/tune/kernel/device_facts.ipp - reads /proc/cpuinfo and uname().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/processor.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/device_facts.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string x86_level(std::string_view flags)
{
    std::string const all = ' ' + std::string(flags) + ' ';
    auto const has = [&](std::string_view names) {
        while (!names.empty()) {
            std::string_view const one = names.substr(0, names.find(' '));
            names.remove_prefix(std::min(names.size(), one.size() + 1));
            if (all.find(' ' + std::string(one) + ' ') == std::string::npos) return false;
        }
        return true;
    };
    constexpr std::string_view needed[] = {
        "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
        "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
        "avx512f avx512bw avx512cd avx512dq avx512vl",
    };
    auto const first_lacking = std::find_if_not(std::begin(needed), std::end(needed), has);
    return "x86-64-v" + std::to_string(1 + (first_lacking - std::begin(needed)));
}

[[nodiscard]] inline named_texts read_facts_of_processor()
{
    named_texts out;
    std::string vendor;
    std::string isa;
    for (std::string const& line : processor_lines()) {
        std::string const value{processor_value(line)};
        if (line.starts_with("vendor_id") || line.starts_with("CPU implementer")) vendor = value;
        if (line.starts_with("flags")) isa = x86_level(value);
    }
    struct ::utsname system{};
    if (isa.empty() && ::uname(&system) == 0) isa = system.machine;
    if (!isa.empty()) out.emplace_back("isa", std::move(isa));
    if (!vendor.empty()) out.emplace_back("vendor", std::move(vendor));
    if (long const count = ::sysconf(_SC_NPROCESSORS_ONLN); count > 0)
        out.emplace_back("cores", std::to_string(count));
    return out;
}

ATTUNE_INLINE named_texts const& facts_of_processor()
{
    static named_texts const facts = read_facts_of_processor();
    return facts;
}

ATTUNE_INLINE named_texts facts_of_device(std::string const& name)
{
    named_texts out;
    if (name.starts_with("sm_")) { // compiled for, without a device: "sm_90, predicted"
        out.emplace_back("isa", name.substr(0, name.find_first_of(", ")));
        out.emplace_back("vendor", "NVIDIA");
        return out;
    }
    std::size_t const open = name.rfind(" (");
    std::size_t const close = open == name.npos ? name.npos : name.find(')', open);
    if (close != name.npos) out.emplace_back("isa", name.substr(open + 2, close - open - 2));
    if (std::size_t const end = name.find(' '); end != name.npos && end > 0)
        out.emplace_back("vendor", name.substr(0, end));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
