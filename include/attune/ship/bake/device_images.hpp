// attune/ship/bake/device_images.hpp - a plan for devices: code compiled by NVRTC, and its launch as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct baked_names; // bake/bake_text.hpp

/// The numbers of a configuration that the formulas of a launch read, each as a launch_number of
/// C++.
/// @param path  of the store, in messages
/// Errors   attune::error: the configuration has no such number
[[nodiscard]] std::vector<std::string> launch_numbers(launch_facts const& launch,
                                                      named_texts const& configuration,
                                                      std::string const& path);

/// Returns true if a text is a formula of tune/kernel/kernel_description.hpp, and no other code.
/// @param inputs, reads  number of each
[[nodiscard]] bool is_formula(std::string const& text, std::size_t inputs, std::size_t reads);

/// The kernel's type in the program, with its declarations.
[[nodiscard]] std::string device_type_text(bake_plan const& plan);

/// The geometry's function, the default's numbers, and the launcher.
[[nodiscard]] std::string launcher_text(bake_plan const& plan, baked_names const& names);

/// Declarations of all code for the unit of the table.
[[nodiscard]] std::string images_declared(bake_plan const& plan, baked_names const& names);

/// The unit with all code as bytes.
[[nodiscard]] std::string images_text(bake_plan const& plan, baked_names const& names);

/// "sm_80", "sm_90": the requested architectures, ascending, each once.
/// Errors   attune::error: there is no such architecture
[[nodiscard]] std::vector<std::string> architecture_levels(std::vector<int> const& asked);

/// The flags in a compiler's identity: {"--std=c++20"} for "nvrtc 13.0 sm_90 --std=c++20".
[[nodiscard]] std::vector<std::string> flags_of_identity(std::string const& identity);

/// Compiles the builds of all variants, and the default for all levels and as PTX for the lowest.
/// Uses no device. A variant that does not compile for an architecture has no build for it, and a
/// notice reports this. A notice also reports another NVRTC than that of the tuning.
/// Errors   attune::error: no NVRTC, an architecture that it does not support, the default does not
///          compile
void compile_images(bake_plan& plan, std::vector<std::string> const& levels);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/device_images.ipp>
#endif
