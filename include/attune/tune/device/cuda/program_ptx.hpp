// attune/tune/device/cuda/program_ptx.hpp - a kernel's default as PTX inside the program.
// SPDX-License-Identifier: MIT
//
// tested by tune/kernel/fallback.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Code for a device, or the reason why there is none.
struct found_on_device {
    std::optional<callable> code{}; ///< its address points to a device_variant
    std::string reason{};           ///< as in found_ahead
};

/// The default of a kernel as PTX, which attune_add_kernel(target file.cu) has put into the
/// program, with the declared launch at `at`. cuda_kernel loads the PTX without NVRTC.
/// @param bound  the space with the inputs of the call
/// @param at     its default configuration
[[nodiscard]] found_on_device find_fallback_on_device(kernel_description const& kernel,
                                                      description const& bound, point const& at);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/program_ptx.ipp>
#endif
