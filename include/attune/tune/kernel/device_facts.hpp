// attune/tune/kernel/device_facts.hpp - what is remembered of a device beside its name, for distances.
// SPDX-License-Identifier: MIT
// tested by tune/kernel/problem.cpp
// Source   x86-64 psABI, section 3.1.1: levels of the instruction set
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// "isa", "vendor" and "cores" of this processor, as far as the system tells them: "x86-64-v4",
/// "AuthenticAMD", "16". Cores are the hardware threads of the machine. Read once.
[[nodiscard]] named_texts const& facts_of_processor();

/// "isa" and "vendor" of a device by its name: "sm_90" and "NVIDIA" of "NVIDIA H200 (sm_90)"; the
/// same of "sm_90".
[[nodiscard]] named_texts facts_of_device(std::string const& name);

/// The level of an x86-64 processor with these flags of /proc/cpuinfo.
[[nodiscard]] std::string x86_level(std::string_view flags);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/device_facts.ipp>
#endif
