// attune/ship/bake/opencl_images.hpp - a plan for OpenCL devices: each variant's text, and binaries where they can be made.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The flags in the identity of an opencl_compiler.
[[nodiscard]] std::vector<std::string> opencl_flags_of_identity(std::string const& identity);

/// Gives each build its text in OpenCL C, which its device's driver compiles, and the default one
/// for any device. Devices of the plan that this machine has get binaries too, for their drivers: a
/// build of its own, in front of that with the text. A notice reports that there is no such device,
/// or a variant that does not compile.
/// @pre     the builds' levels are the names of devices
/// Errors   attune::error: a device of this machine does not compile the default
void add_opencl_images(bake_plan& plan);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/opencl_images.ipp>
#endif
