// attune/ship/bake/device_images.hpp - the code of a plan for devices, compiled by NVRTC.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "sm_80", "sm_90": those that are asked for, ascending, each once.
/// Errors   attune::error: there is no such architecture
[[nodiscard]] std::vector<std::string> architecture_levels(std::vector<int> const& asked);

/// The flags of the compiler that an identity names: {"--std=c++20"} of "nvrtc 13.0 sm_90
/// --std=c++20".
[[nodiscard]] std::vector<std::string> flags_of_identity(std::string const& identity);

/// Compiles the builds of all variants, and the default for all levels and as PTX for the lowest.
/// No device is needed, and none is asked. A variant that cannot be compiled for an architecture
/// has no build for it, and a notice says so; where another NVRTC was used than for tuning, too.
/// Errors   attune::error: no NVRTC, it does not know an architecture, the default does not compile
void compile_images(bake_plan& plan, std::vector<std::string> const& levels);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/device_images.ipp>
#endif
