// attune/measure/device/worker/driver_opener.hpp - what a kind of device adds to workers: its drivers, and services.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/message/message_values.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail::worker {

using driver_opener = std::shared_ptr<cuda::driver const> (*)(std::string const& path);

/// The kinds of drivers beside CUDA's in this program, by the beginning of their paths.
struct opener_list {
    struct entry {
        char const* prefix = nullptr;
        driver_opener open = nullptr;
        std::size_t alignment = 0;
    };
    std::array<entry, 8> of{};
};
inline constinit opener_list openers_of_this_program{}; ///< filled before main()

/// Adds a kind of driver. Call it in a function with [[gnu::constructor(101)]], which is no
/// template: it then precedes that of worker_door, and a worker serves before static objects exist.
/// @param alignment  bytes: copies for variants begin at a multiple of it in their allocations, if
///                   their originals do; a multiple of 256
inline void add_driver_opener(char const* prefix, driver_opener open,
                              std::size_t alignment = 256) noexcept
{
    for (opener_list::entry& one : openers_of_this_program.of)
        if (one.prefix == nullptr || std::string_view(one.prefix) == prefix) {
            one = {prefix, open, alignment};
            return;
        }
}

/// Opens a driver by driver::path of another process of this program.
/// Errors   attune::error: errors of the kind's own function
[[nodiscard]] inline std::shared_ptr<cuda::driver const> open_driver_at(std::string const& path)
{
    for (opener_list::entry const& one : openers_of_this_program.of)
        if (one.prefix != nullptr && path.starts_with(one.prefix)) return one.open(path);
    return cuda::open_driver(path);
}

/// The alignment of a driver's kind; 256 bytes, that of cuMemAlloc, for CUDA.
[[nodiscard]] inline std::size_t alignment_of(cuda::driver const& driver) noexcept
{
    for (opener_list::entry const& one : openers_of_this_program.of)
        if (one.prefix != nullptr && driver.path.starts_with(one.prefix)) return one.alignment;
    return 256;
}

/// This process's ordinal of the device with a bus id.
/// Errors   attune::error: the device is not visible
[[nodiscard]] inline int device_at_bus(cuda::driver const& driver, std::string const& bus)
{
    int count = 0;
    cuda::require_success(driver, driver.device_get_count(&count), "counting the devices");
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cuda::device device = 0;
        char name[64] = "";
        if (driver.device_get(&device, ordinal) == cuda::success &&
            driver.device_get_pci_bus_id(name, sizeof name - 1, device) == cuda::success &&
            bus == name)
            return ordinal;
    }
    throw error("the worker process does not see the device at " + bus,
                "the driver finds " + std::to_string(count) + " there",
                "do not change variables that choose devices (CUDA_VISIBLE_DEVICES, "
                "OCL_ICD_VENDORS, POCL_DEVICES) after a device was first used");
}

/// Work that a worker does beside its bench.
struct worker_service {
    char const* name = nullptr;
    void (*answer)(message_reader& from, message_writer& to) = nullptr;
};
inline constinit std::array<worker_service, 8> services_of_this_program{}; ///< as above

/// Adds a service. Call it where add_driver_opener() is called.
inline void add_worker_service(worker_service const& added) noexcept
{
    for (worker_service& one : services_of_this_program)
        if (one.name == nullptr || std::string_view(one.name) == added.name) {
            one = added;
            return;
        }
}

/// Errors   damaged_message: no such service; errors of the service
inline void serve_once(message_reader& from, message_writer& to)
{
    std::string const wanted = from.get_text();
    for (worker_service const& one : services_of_this_program)
        if (one.name != nullptr && wanted == one.name) return one.answer(from, to);
    throw damaged_message();
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
