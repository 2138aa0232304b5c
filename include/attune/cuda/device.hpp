// attune/cuda/device.hpp - the device, or the architecture alone, that a program tunes for.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, CUdevice_attribute
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/limits.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The architecture that code is made for, and the device that runs it, if there is one.
struct cuda_target {
    std::shared_ptr<detail::cuda::driver const> driver{}; ///< null: compiling only
    int ordinal = 0; ///< of the device, in the driver's numbering
    device_limits limits{};
    std::string why_no_device{}; ///< one sentence when `driver` is null

    [[nodiscard]] bool can_run() const noexcept { return driver != nullptr; }
};

namespace detail {

/// Reads the limits of a device.
/// Errors   attune::error: there is no such device (the text has their number); the driver's own
[[nodiscard]] device_limits limits_of_device(cuda::driver const& driver, int ordinal);

/// Its PCI bus id, "0000:3B:00.0": ordinals depend on the environment.
/// Errors   as limits_of_device()
[[nodiscard]] std::string bus_of_device(cuda::driver const& driver, int ordinal);

} // namespace detail

/// @param ordinal       of the device; -1: the device of the calling thread's context, else 0
/// @param architecture  to compile for: 90. Without a device of this architecture, code is compiled
///                      and not run. 0: the device's own; then having no device is an error
/// @param driver_path   see cuda::open_driver
/// Errors   attune::error: no driver and no architecture, no such device, an unknown architecture
[[nodiscard]] cuda_target find_cuda_target(int ordinal = -1, int architecture = 0,
                                           std::string const& driver_path = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/device.ipp>
#endif
