// attune/compile/opencl_compiler.hpp - a compiler for OpenCL devices, whose target() is an opencl_target.
// SPDX-License-Identifier: MIT
// tested by compile/opencl.cpp
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/device.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

class device_target;

template <>
inline constexpr bool describes_device<opencl_target> = true;

/// The device of a compiler whose callable::address points to a `device_variant` with an image of
/// opencl/library.hpp. Programs that tune for it link attune::opencl, which defines this function
/// and makes them able to become a worker process: worker_door.hpp.
/// @param target  outlives the result
[[nodiscard]] std::shared_ptr<device_target const> make_device_target(opencl_target const& target);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/opencl/opencl_device.hpp>
#endif
