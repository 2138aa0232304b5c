// attune/tune/device/cuda/device_call.ipp - checks arrays of a call and copies them through the driver.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/capture.hpp>
#include <attune/cuda/extent.hpp>
#include <attune/cuda/numbers.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/cuda/device_copies.hpp>
#include <attune/tune/device/cuda/device_call.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline cuda::device_pointer device_address(buffer const& b)
{
    return static_cast<cuda::device_pointer>(reinterpret_cast<std::uintptr_t>(b.data));
}

inline void require_array_on_device(cuda_target const& target, buffer const& b)
{
    cuda::driver const& driver = *target.driver;
    std::string const argument = "argument " + std::to_string(b.argument);
    int ordinal = -1;
    if (driver.pointer_get_attribute(&ordinal, cuda::of_pointer::device_ordinal,
                                     device_address(b)) != cuda::success)
        throw error("an array that a kernel shall use on a device is not in its memory", argument,
                    "pass memory that was allocated on the device, or declare the argument as a "
                    "std::span: attune copies it");
    if (ordinal != target.ordinal && is_bound_to_device(driver, device_address(b)))
        throw error("an array of a kernel is in the memory of another device",
                    argument + " is on device " + std::to_string(ordinal) +
                        ", the kernel is compiled for device " + std::to_string(target.ordinal),
                    "copy the array, or choose the device: nvrtc_options{.device = " +
                        std::to_string(ordinal) + "}");
    std::optional<std::size_t> const left = cuda::bytes_from(driver, device_address(b), b.bytes);
    if (left && b.bytes > *left)
        throw error("an array of a kernel is longer than its memory on the device",
                    argument + " has " + std::to_string(b.bytes) + " bytes, the allocation ends " +
                        "after " + std::to_string(*left),
                    "correct the size of the span, or the extent of the pointer");
}

ATTUNE_INLINE device_call make_device_call(cuda_target const& target, call_frame const& frame)
{
    device_call out;
    out.ordinal = target.ordinal;
    for (call_argument const& given : frame.arguments) {
        device_argument passed;
        if (given.buffer == call_argument::by_value) {
            passed.value = given.value;
        } else {
            passed.buffer = given.buffer;
            out.buffers.push_back({frame.buffers[given.buffer],
                                   given.on_device ? memory_place::device : memory_place::host});
        }
        out.arguments.push_back(std::move(passed));
    }
    return out;
}

ATTUNE_INLINE void require_on_device(cuda_target const& target, call_frame const& frame)
{
    bool has_device_arrays = false;
    for (call_argument const& a : frame.arguments)
        has_device_arrays = has_device_arrays || a.on_device;
    if (!has_device_arrays) return;
    cuda::primary_context const context{target.driver, target.ordinal};
    cuda::context_scope const inside{context};
    for (call_argument const& a : frame.arguments)
        if (a.on_device && frame.buffers[a.buffer].bytes > 0)
            require_array_on_device(target, frame.buffers[a.buffer]);
}

} // namespace attune::inline ATTUNE_ABI::detail
