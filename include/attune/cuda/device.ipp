// attune/cuda/device.ipp - reads a device's limits from the driver, its clock from NVML.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, CUdevice_attribute
// Source   NVML API reference. The device is found by its bus id, because NVML ignores
//          CUDA_VISIBLE_DEVICES and numbers devices in another way
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <cstddef>
#include <dlfcn.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// The functions of NVML that attune calls, with the types of its ABI.
struct clock_reader::library_functions {
    void* library = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    char const* (*error_string)(int result) = nullptr;
    int (*device_by_bus)(char const* bus, void** device) = nullptr;
    int (*clock)(void* device, unsigned which, unsigned* mhz) = nullptr;
    int (*most_clock)(void* device, unsigned which, unsigned* mhz) = nullptr;
    int (*reasons)(void* device, unsigned long long* bits) = nullptr;
    bool is_initialised = false;

    library_functions() = default;
    library_functions(library_functions const&) = delete;
    library_functions& operator=(library_functions const&) = delete;
    ~library_functions()
    {
        if (is_initialised) shutdown();
        if (library != nullptr) ::dlclose(library);
    }

    static constexpr unsigned multiprocessor_clock = 1; ///< NVML_CLOCK_SM
};

ATTUNE_INLINE clock_reader::clock_reader(driver const& of, int ordinal, std::string const& library)
{
    std::string const name = library.empty() ? "libnvidia-ml.so.1" : library;
    auto const made = std::make_shared<library_functions>();
    made->library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (made->library == nullptr) {
        char const* const words = ::dlerror();
        why_none_ = std::string("no NVML: ") + (words != nullptr ? words : name.c_str());
        return;
    }
    auto const take = [&]<class Function>(char const* symbol, Function*& to) {
        to = reinterpret_cast<Function*>(::dlsym(made->library, symbol));
        if (to == nullptr && why_none_.empty()) why_none_ = name + " has no function " + symbol;
    };
    take("nvmlInit_v2", made->init);
    take("nvmlShutdown", made->shutdown);
    take("nvmlErrorString", made->error_string);
    take("nvmlDeviceGetHandleByPciBusId_v2", made->device_by_bus);
    take("nvmlDeviceGetClockInfo", made->clock);
    take("nvmlDeviceGetMaxClockInfo", made->most_clock);
    // Older and newer libraries both export this older name.
    take("nvmlDeviceGetCurrentClocksThrottleReasons", made->reasons);
    if (!why_none_.empty()) return;

    auto const refused = [&](int got, std::string const& what) {
        if (got == 0) return false;
        char const* const words = made->error_string(got);
        why_none_ = what + ": " + (words != nullptr ? words : "NVML error");
        return true;
    };
    if (refused(made->init(), "nvmlInit")) return;
    made->is_initialised = true;
    device at = 0;
    char bus[64] = "";
    if (of.device_get(&at, ordinal) != success ||
        of.device_get_pci_bus_id(bus, sizeof bus - 1, at) != success) {
        why_none_ = "the driver does not say where device " + std::to_string(ordinal) + " is";
        return;
    }
    if (refused(made->device_by_bus(bus, &device_), std::string("device at ") + bus)) return;
    functions_ = made;
}

ATTUNE_INLINE std::optional<clock_reading> clock_reader::read() const
{
    if (functions_ == nullptr) return std::nullopt;
    clock_reading reading;
    unsigned mhz = 0;
    if (functions_->clock(device_, library_functions::multiprocessor_clock, &mhz) != 0)
        return std::nullopt;
    reading.mhz = mhz;
    if (functions_->most_clock(device_, library_functions::multiprocessor_clock, &mhz) == 0)
        reading.most_mhz = mhz;
    unsigned long long bits = 0;
    if (functions_->reasons(device_, &bits) == 0) reading.reasons = bits;
    return reading;
}

ATTUNE_INLINE std::string text_of(clock_reading const& reading)
{
    std::string text = std::to_string(reading.mhz);
    if (reading.most_mhz > 0) text += " of " + std::to_string(reading.most_mhz);
    text += " MHz";
    char const* separator = ": ";
    auto const add = [&](std::uint64_t bits, char const* word) {
        if ((reading.reasons & bits) == 0) return;
        text += separator;
        text += word;
        separator = ", ";
    };
    add(clock_reading::idle, "idle");
    add(clock_reading::set_by_user, "set by the user");
    add(clock_reading::power_cap, "power limit");
    add(clock_reading::software_heat | clock_reading::hardware_heat, "heat");
    add(clock_reading::slowdown, "slowed down by the hardware");
    add(clock_reading::power_brake, "power brake");
    return text;
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Returns the handle of a device.
/// Errors   attune::error with the number of devices
[[nodiscard]] inline cuda::device device_at(cuda::driver const& driver, int ordinal)
{
    int count = 0;
    cuda::require_success(driver, driver.device_get_count(&count), "cuDeviceGetCount");
    if (ordinal < 0 || ordinal >= count)
        throw error("there is no CUDA device " + std::to_string(ordinal),
                    "the driver finds " + std::to_string(count) + ", numbered from 0",
                    "name one of these, or look at CUDA_VISIBLE_DEVICES, which may hide devices");
    cuda::device found = 0;
    cuda::require_success(driver, driver.device_get(&found, ordinal), "cuDeviceGet");
    return found;
}

/// Returns the device of the calling thread's context, else 0.
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

    // Drivers older than CUDA 11.8 lack this attribute and cuLaunchKernelEx.
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
