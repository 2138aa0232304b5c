// attune/cuda/device.ipp - reads a device's limits from the driver.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, CUdevice_attribute
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The handle of a device.
/// Errors   attune::error with the number of devices
[[nodiscard]] inline cuda::device device_at(cuda::driver const& driver, int ordinal)
{
    int count = 0;
    cuda::require_success(driver, driver.device_get_count(&count), "cuDeviceGetCount");
    if (ordinal < 0 || ordinal >= count)
        throw error("there is no CUDA device " + std::to_string(ordinal),
                    "the driver finds " + std::to_string(count) + ", numbered from 0",
                    "name one of these, or see what CUDA_VISIBLE_DEVICES leaves");
    cuda::device found = 0;
    cuda::require_success(driver, driver.device_get(&found, ordinal), "cuDeviceGet");
    return found;
}

/// The device of the calling thread's context, else 0.
[[nodiscard]] inline int current_device(cuda::driver const& driver) noexcept
{
    cuda::context current = nullptr;
    cuda::device of = 0;
    bool const has_context =
        driver.context_get_current(&current) == cuda::success && current != nullptr;
    // A device's handle is its ordinal.
    return has_context && driver.context_get_device(&of) == cuda::success ? of : 0;
}

ATTUNE_INLINE std::string bus_of_device(cuda::driver const& driver, int ordinal)
{
    cuda::device const device = device_at(driver, ordinal);
    char bus[64] = "";
    cuda::require_success(driver, driver.device_get_pci_bus_id(bus, sizeof bus - 1, device),
                          "cuDeviceGetPCIBusId");
    return bus;
}

ATTUNE_INLINE device_limits limits_of_device(cuda::driver const& driver, int ordinal)
{
    cuda::device const device = device_at(driver, ordinal);
    auto const read = [&](int attribute) -> std::int64_t {
        int value = 0;
        cuda::require_success(driver, driver.device_get_attribute(&value, attribute, device),
                              "cuDeviceGetAttribute");
        return value;
    };
    namespace of = cuda::of_device;

    device_limits limits;
    char name[256] = "";
    cuda::require_success(driver, driver.device_get_name(name, sizeof name - 1, device),
                          "cuDeviceGetName");
    limits.name = name;
    limits.architecture =
        static_cast<int>(10 * read(of::capability_major) + read(of::capability_minor));
    limits.multiprocessors = read(of::multiprocessors);
    limits.warp_threads = read(of::warp_threads);
    limits.threads_per_block = read(of::threads_per_block);
    limits.block = {read(of::block_x), read(of::block_y), read(of::block_z)};
    limits.grid = {read(of::grid_x), read(of::grid_y), read(of::grid_z)};
    limits.can_cooperate = read(of::can_cooperate) != 0;
    limits.shared_bytes_per_block = read(of::shared_bytes_per_block);
    limits.shared_bytes_opt_in = read(of::shared_bytes_opt_in);
    limits.shared_bytes_per_multiprocessor = read(of::shared_bytes_per_multiprocessor);
    limits.registers_per_block = read(of::registers_per_block);
    limits.registers_per_multiprocessor = read(of::registers_per_multiprocessor);
    limits.threads_per_multiprocessor = read(of::threads_per_multiprocessor);
    limits.blocks_per_multiprocessor = read(of::blocks_per_multiprocessor);
    limits.l2_bytes = read(of::l2_bytes);

    limits.shared_bytes_reserved = read(of::shared_bytes_reserved);

    // Drivers older than CUDA 11.8 have neither this attribute nor cuLaunchKernelEx.
    int value = 0;
    if (driver.device_get_attribute(&value, of::can_form_clusters, device) == cuda::success &&
        value != 0 && driver.launch_kernel_ex != nullptr)
        limits.blocks_per_cluster = 8; // the portable cluster size

    std::size_t bytes = 0;
    cuda::require_success(driver, driver.device_total_mem(&bytes, device), "cuDeviceTotalMem");
    limits.global_bytes = static_cast<std::int64_t>(bytes);
    return limits;
}

} // namespace detail

ATTUNE_INLINE cuda_target find_cuda_target(int ordinal, int architecture,
                                           std::string const& driver_path)
{
    cuda_target target;
    target.ordinal = ordinal > 0 ? ordinal : 0;
    if (architecture != 0) target.limits = detail::limits_of_architecture(architecture);
    try {
        target.driver = detail::cuda::open_driver(driver_path);
    } catch (error const& none) {
        if (architecture == 0) throw;
        target.why_no_device = detail::sentence_of(none);
        return target;
    }
    target.ordinal = ordinal >= 0 ? ordinal : detail::current_device(*target.driver);
    device_limits found = detail::limits_of_device(*target.driver, target.ordinal);
    if (architecture != 0 && architecture != found.architecture) {
        target.why_no_device = "code for sm_" + std::to_string(architecture) +
                               " was asked for, device " + std::to_string(target.ordinal) + " (" +
                               found.name + ") is sm_" + std::to_string(found.architecture);
        target.driver = nullptr;
        return target;
    }
    target.limits = std::move(found);
    return target;
}

} // namespace attune::inline ATTUNE_ABI
