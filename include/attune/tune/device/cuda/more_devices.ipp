// attune/tune/device/cuda/more_devices.ipp - compares the limits of devices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/cuda/more_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr char const devices_option[] = "tuning_options::device.others";

/// "device 1: NVIDIA H200 (sm_90), 132 multiprocessors, 143771 MiB"
[[nodiscard]] inline std::string device_text(int ordinal, device_limits const& limits)
{
    return "device " + std::to_string(ordinal) + ": " + device_name(limits) + ", " +
           std::to_string(limits.multiprocessors) + " multiprocessors, " +
           std::to_string(limits.global_bytes / (1024 * 1024)) + " MiB";
}

ATTUNE_INLINE void require_usable_devices(cuda_target const& own, tuning_options const& options)
{
    std::vector<int> const& named = options.device.others;
    if (named.empty() || !own.can_run()) return; // require_device() reports that nothing can run
    if (runs_in_process(options.measuring.protect))
        throw error("variants that run in this process are measured on one device only",
                    std::string(devices_option) +
                        ", with isolation::" + std::string(describe(options.measuring.protect)),
                    "let them run in workers: isolation::automatic");
    for (std::size_t i = 0; i < named.size(); ++i) {
        std::string const device = "device " + std::to_string(named[i]);
        if (named[i] == own.ordinal)
            throw error(device + " is the compiler's own and measures in any case", devices_option,
                        "name the others only");
        auto const here = named.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(named.begin(), here, named[i]) != here)
            throw error(device + " is named twice", devices_option, "name it once");
        device_limits const limits = limits_of_device(*own.driver, named[i]);
        if (limits != own.limits)
            throw error(device + " is another kind than device " + std::to_string(own.ordinal) +
                            ", which the kernel is tuned for",
                        device_text(named[i], limits) + "; " + device_text(own.ordinal, own.limits),
                        "leave it out, and tune for it by itself");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
