// attune/compile/cuda_compiler.hpp - a compiler for CUDA devices, whose target() is a cuda_target.
// SPDX-License-Identifier: MIT
// tested by compile/compiler.cpp
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

class device_target;

template <>
inline constexpr bool describes_device<cuda_target> = true;

/// The device of a compiler whose callable::address points to a `device_variant` that
/// callable::code owns. Programs that tune for a CUDA device link attune::cuda, which defines this
/// function and lets the program become a worker process: worker_door.hpp.
/// @param target  outlives the result
[[nodiscard]] std::shared_ptr<device_target const> make_device_target(cuda_target const& target);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_device.hpp>
#endif
