// attune/compile/nvrtc/cubin.hpp - what a compiled kernel takes on its device, read without one.
// SPDX-License-Identifier: MIT
//
// The layout of a CUBIN is undocumented: section names and attributes are those that cuobjdump -elf
// shows, and every figure but the spills is held against what ptxas says
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// What the CUBIN itself states of a kernel. Its spills are not among that: `spill_bytes` is 0.
/// Shared memory is what the kernel declares, without the 1024 bytes that the system reserves in
/// every block from sm_90 on; constant memory counts the arguments and all `__constant__`
/// variables of the program.
/// @return  nothing when it is no CUBIN or has no such kernel
[[nodiscard]] std::optional<code_resources> resources_of_cubin(std::string_view image,
                                                               std::string_view entry);

/// What `--ptxas-options=-v` printed of a kernel. `spill_bytes` are the bytes of the spill stores
/// and those of the spill loads together; `most_threads` is not printed and stays 0, as does
/// `constant_bytes` from sm_90 on.
/// @return  nothing when the log does not mention the kernel
[[nodiscard]] std::optional<code_resources> resources_of_log(std::string_view log,
                                                             std::string_view entry);

/// Both together: the log's spills, everything else from the CUBIN.
/// @return  nothing when the CUBIN does not have the kernel
[[nodiscard]] std::optional<code_resources>
resources_of_kernel(std::string_view image, std::string_view log, std::string_view entry);

/// 32 hexadecimal digits that are equal when code, constants and what the launch needs to know are
/// equal. Names, notes (which hold the compiler's options) and debug information do not count: two
/// instances of a template that come to the same code have one key. What is no CUBIN is hashed as
/// it is.
[[nodiscard]] std::string cubin_key(std::string_view image, std::string_view entry);

namespace detail {

/// A variant for a device as a callable; its key covers the code and how it is launched.
[[nodiscard]] callable callable_of_device(device_variant v);

/// The number in front of `unit`: 376 of "376 bytes cmem[0]"; all such numbers added.
[[nodiscard]] std::int64_t numbers_before(std::string_view line, std::string_view unit);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc/cubin.ipp>
#endif
