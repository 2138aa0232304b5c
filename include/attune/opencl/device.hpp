// attune/opencl/device.hpp - the OpenCL device of a tuning, and the list of all devices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The device that compiles and runs the code.
struct opencl_target {
    cuda_target device{};         ///< its functions, number and limits
    std::string platform{};       ///< "Portable Computing Language"
    std::string driver_version{}; ///< an update changes it

    /// "OpenCL cpu-haswell (Portable Computing Language)".
    [[nodiscard]] std::string name() const
    {
        return "OpenCL " + device.limits.name + " (" + platform + ')';
    }
};

/// @param platform  part of a platform's name, or its number; empty: any
/// @param device    part of a device's name, or its number on that platform; empty: the first
/// @param library   see opencl::open_library
/// @param context   a cl_context whose devices alone are looked at; null: all devices
/// Errors   attune::error: no library, no platform, no such device (with the devices there are); the
///          named device is not in the context (with both names)
[[nodiscard]] opencl_target find_opencl_target(std::string const& platform = {},
                                               std::string const& device = {},
                                               std::string const& library = {},
                                               void* context = nullptr);

/// A line for each device: "0.0 Portable Computing Language: cpu-haswell, 2 units, 3982 MiB, driver
/// 3.1".
/// Errors   as find_opencl_target()
[[nodiscard]] std::vector<std::string> opencl_devices(std::string const& library = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/opencl/device.ipp>
#endif
