// attune/cuda/device_array.ipp - allocations in the primary context of a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/device_array.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE device_bytes::device_bytes(std::size_t count, std::size_t each, int ordinal)
{
    if (__builtin_mul_overflow(count, each, &bytes_))
        throw error("an array of a device is larger than any memory",
                    std::to_string(count) + " elements of " + std::to_string(each) + " bytes each",
                    "look where its size comes from: a negative number, perhaps");
    cuda_target const target = find_cuda_target(ordinal);
    auto const context = std::make_shared<cuda::primary_context>(target.driver, target.ordinal);
    owner_ = cuda::allocate_shared(context, bytes_, target.limits.name,
                                   "free other arrays, or work on a smaller problem");
    context_ = context;
    data_ = const_cast<void*>(owner_.get());
}

ATTUNE_INLINE void device_bytes::copy_from(void const* host) const
{
    if (bytes_ == 0) return;
    auto const& context = *static_cast<cuda::primary_context const*>(context_.get());
    cuda::context_scope const here{context};
    cuda::require_no_capture(*context.of(), "copying an array to the device");
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*context.of(), context.of()->copy_to_device(at, host, bytes_),
                          "cuMemcpyHtoD");
    // From pageable memory, cuMemcpyHtoD may return before the bytes have arrived on the legacy
    // stream, and non-blocking streams do not wait for that stream.
    cuda::require_success(*context.of(), context.of()->stream_synchronize(nullptr),
                          "cuStreamSynchronize");
}

ATTUNE_INLINE void device_bytes::copy_to(void* host) const
{
    if (bytes_ == 0) return;
    auto const& context = *static_cast<cuda::primary_context const*>(context_.get());
    cuda::context_scope const here{context};
    cuda::synchronize_context(*context.of(), "copying an array from the device");
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*context.of(), context.of()->copy_to_host(host, at, bytes_),
                          "cuMemcpyDtoH");
}

} // namespace attune::inline ATTUNE_ABI::detail
