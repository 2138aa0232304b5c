// attune/opencl/array.ipp - makes buffers and takes shares in those of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/opencl/array.hpp>
#include <attune/opencl/driver.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE opencl_bytes::opencl_bytes(opencl_target const& on, std::size_t count,
                                         std::size_t each, void* shared)
    : device_(on.device)
{
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes))
        throw error("an array of a device is larger than any memory",
                    std::to_string(count) + " elements of " + std::to_string(each) + " bytes each",
                    "look where its size comes from: a negative number, perhaps");
    opencl::library const& cl = *opencl::library_in_use();
    opencl::result said = opencl::success;
    opencl::memory const made =
        cl.create_buffer(opencl::context_of(device_.ordinal),
                         opencl::flag::read_write |
                             (shared != nullptr ? opencl::flag::use_host_memory : opencl::bits{0}),
                         bytes == 0 ? 1 : bytes, shared, &said);
    if (said != opencl::success)
        throw error("no buffer of " + std::to_string(bytes) + " bytes can be made",
                    on.name() + ": " + opencl::text_of(said),
                    "free other arrays, or work on a smaller problem");
    struct share {
        opencl::library const& cl;
        opencl::memory made;
        ~share() { cl.release_memory(made); }
    } const mine{cl, made};
    *this = opencl_bytes(on, static_cast<void*>(made));
    bytes_ = bytes;
}

ATTUNE_INLINE opencl_bytes::opencl_bytes(opencl_target const& on, void* buffer)
    : device_(on.device)
    , buffer_(buffer)
{
    auto const range = std::make_shared<opencl::buffer_address>(
        device_.ordinal, static_cast<opencl::memory>(buffer));
    bytes_ = range->bytes();
    data_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(range->address()));
    owner_ = range;
}

ATTUNE_INLINE void opencl_bytes::copy_from(void const* host) const
{
    if (bytes_ == 0) return;
    cuda::primary_context const context{device_.driver, device_.ordinal};
    cuda::context_scope const here{context};
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*device_.driver, device_.driver->copy_to_device(at, host, bytes_),
                          "copying an array to the device");
}

ATTUNE_INLINE void opencl_bytes::copy_to(void* host) const
{
    if (bytes_ == 0) return;
    cuda::primary_context const context{device_.driver, device_.ordinal};
    cuda::context_scope const here{context};
    cuda::synchronize_context(*device_.driver, "copying an array from the device");
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*device_.driver, device_.driver->copy_to_host(host, at, bytes_),
                          "copying an array from the device");
}

} // namespace attune::inline ATTUNE_ABI::detail
