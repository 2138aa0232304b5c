// attune/compile/nvrtc/cubin.hpp - the resources of a compiled kernel, read from its CUBIN and log.
// SPDX-License-Identifier: MIT
//
// The layout of a CUBIN is undocumented. Section names and attributes are those in the output of
// cuobjdump -elf. Tests compare every number except the spills with the output of ptxas.
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The resources that a CUBIN states for a kernel. A CUBIN does not state spills: `spill_bytes` is
/// 0. Shared memory is what the kernel declares, without the 1024 bytes per block that the system
/// reserves since sm_90. Constant memory includes arguments and all `__constant__` variables.
/// @return  empty if `image` is no CUBIN or has no such kernel
[[nodiscard]] std::optional<code_resources> resources_of_cubin(std::string_view image,
                                                               std::string_view entry);

/// The resources that `--ptxas-options=-v` printed for a kernel. `spill_bytes` is the sum of spill
/// stores and spill loads. The option does not print `most_threads`, nor since sm_90
/// `constant_bytes`: these are 0.
/// @return  empty if the log does not mention the kernel
[[nodiscard]] std::optional<code_resources> resources_of_log(std::string_view log,
                                                             std::string_view entry);

/// Spills from the log, everything else from the CUBIN.
/// @return  empty if the CUBIN does not have the kernel
[[nodiscard]] std::optional<code_resources>
resources_of_kernel(std::string_view image, std::string_view log, std::string_view entry);

/// 32 hexadecimal digits, equal for equal code, constants and launch attributes. Names, notes
/// (which hold the compiler's options) and debug information do not count: two instances of a
/// template with the same code have the same key. An image that is no CUBIN is hashed as a whole.
[[nodiscard]] std::string cubin_key(std::string_view image, std::string_view entry);

/// A variant for a device as a callable; its object_key covers the code and the launch.
[[nodiscard]] callable callable_of_device(device_variant v);

/// The sum of the numbers in front of `unit`: 376 for "376 bytes cmem[0]".
[[nodiscard]] std::int64_t numbers_before(std::string_view line, std::string_view unit);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc/cubin.ipp>
#endif
