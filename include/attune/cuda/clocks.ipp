// attune/cuda/clocks.ipp - NVML by dlopen, read only.
// SPDX-License-Identifier: MIT
// Source   NVML API reference. The device is found by its bus id, because NVML ignores
//          CUDA_VISIBLE_DEVICES and numbers devices in another way
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/clocks.hpp>

#include <dlfcn.h>
#include <string>

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
    // The old name: older and newer libraries both export it.
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
