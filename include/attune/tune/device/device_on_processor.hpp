// attune/tune/device/device_on_processor.hpp - a device whose kernels run on this processor's cores.
// SPDX-License-Identifier: MIT
// tested by tune/device/opencl/opencl_device.cpp
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// A base of a device_target beside it. Where the device is on the processor, nothing is compiled
/// ahead unless tuning_options::compile_ahead asks for it: a compiler beside a kernel takes its
/// cores.
class device_on_processor {
public:
    device_on_processor() = default;
    virtual ~device_on_processor() = default;
    device_on_processor(device_on_processor const&) = delete;
    device_on_processor& operator=(device_on_processor const&) = delete;

    [[nodiscard]] virtual bool is_on_processor() const = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
