// attune/opencl/device.ipp - chooses a device by names or numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

/// A device with the numbers that a user may name.
struct numbered_device {
    found_device what;
    int ordinal = 0; ///< among all devices
    int platform = 0;
    int number = 0; ///< on the platform
};

[[nodiscard]] inline std::vector<numbered_device> numbered(library const& of)
{
    std::vector<numbered_device> out;
    for (found_device& one : devices_of(of)) {
        numbered_device made{std::move(one), static_cast<int>(out.size()), 0, 0};
        if (!out.empty()) {
            bool const is_same = out.back().what.of == made.what.of;
            made.platform = out.back().platform + (is_same ? 0 : 1);
            made.number = is_same ? out.back().number + 1 : 0;
        }
        out.push_back(std::move(made));
    }
    return out;
}

/// True if a text names this: nothing, the number, or a part of the name.
[[nodiscard]] inline bool is_meant(std::string const& asked, int number, std::string const& name)
{
    if (asked.empty()) return true;
    if (auto const given = attune::detail::parse_number<int>(asked)) return *given == number;
    return name.find(asked) != name.npos;
}

[[nodiscard]] inline std::string line_of(numbered_device const& one)
{
    return std::to_string(one.platform) + '.' + std::to_string(one.number) + ' ' +
           one.what.platform_name + ": " + one.what.name;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE opencl_target find_opencl_target(std::string const& platform,
                                               std::string const& device,
                                               std::string const& library)
{
    auto const driver = detail::opencl::open_driver(library);
    std::string all;
    for (detail::opencl::numbered_device const& one :
         detail::opencl::numbered(*detail::opencl::library_in_use())) {
        all += (all.empty() ? "" : "; ") + detail::opencl::line_of(one);
        if (!detail::opencl::is_meant(platform, one.platform, one.what.platform_name) ||
            !detail::opencl::is_meant(device, one.number, one.what.name))
            continue;
        opencl_target found;
        found.device.driver = driver;
        found.device.ordinal = one.ordinal;
        found.device.limits = detail::limits_of_device(*driver, one.ordinal);
        found.platform = one.what.platform_name;
        found.driver_version = one.what.driver_version;
        return found;
    }
    throw error("there is no OpenCL device '" + device + "' on a platform '" + platform + "'",
                "there are " + all,
                "name a part of these names or their numbers, and leave out the rest");
}

ATTUNE_INLINE std::vector<std::string> opencl_devices(std::string const& library)
{
    auto const driver = detail::opencl::open_driver(library);
    std::vector<std::string> out;
    for (detail::opencl::numbered_device const& one :
         detail::opencl::numbered(*detail::opencl::library_in_use())) {
        device_limits const limits = detail::limits_of_device(*driver, one.ordinal);
        out.push_back(detail::opencl::line_of(one) + ", " + std::to_string(limits.multiprocessors) +
                      " units, " + std::to_string(limits.global_bytes >> 20) + " MiB, driver " +
                      one.what.driver_version);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
