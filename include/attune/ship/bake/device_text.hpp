// attune/ship/bake/device_text.hpp - what a plan for devices has besides, as the text of source files.
// SPDX-License-Identifier: MIT
// tested by ship/bake/device_images.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/bake_text.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What the formulas of a launch read of a configuration, each as a launch_number of C++.
/// @param path  of the store, in messages
/// Errors   attune::error: the configuration has no such number
[[nodiscard]] std::vector<std::string> launch_numbers(launch_facts const& launch,
                                                      named_texts const& configuration,
                                                      std::string const& path);

/// Whether a formula is what tune/kernel/launch_text.hpp writes, and no other code.
/// @param inputs, reads  how many there are
[[nodiscard]] bool is_formula(std::string const& text, std::size_t inputs, std::size_t reads);

/// The type that the program declares for the kernel, and what it needs.
[[nodiscard]] std::string device_type_text(bake_plan const& plan);

/// The function of the geometry, the default's numbers, and the launcher.
[[nodiscard]] std::string launcher_text(bake_plan const& plan, baked_names const& names);

/// Declarations of all code for the unit of the table.
[[nodiscard]] std::string images_declared(bake_plan const& plan, baked_names const& names);

/// The unit that holds all code as bytes.
[[nodiscard]] std::string images_text(bake_plan const& plan, baked_names const& names);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/device_text.ipp>
#endif
