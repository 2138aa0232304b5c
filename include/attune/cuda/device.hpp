// attune/cuda/device.hpp - the device of a tuning, or only its architecture, and the device's clock.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, CUdevice_attribute
// Source   NVML API reference, clocks event reasons
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The architecture of the code, and the device that runs it, if there is one.
struct cuda_target {
    std::shared_ptr<detail::cuda::driver const> driver{}; ///< null: compiles only
    int ordinal = 0;                                      ///< number of the device in the driver
    device_limits limits{};
    std::string why_no_device{}; ///< if `driver` is null: a sentence

    [[nodiscard]] bool can_run() const noexcept { return driver != nullptr; }
};

namespace detail {

/// Reads the limits of a device.
/// Errors   attune::error: there is no such device (the text has the number of devices); the
///          driver's own
[[nodiscard]] device_limits limits_of_device(cuda::driver const& driver, int ordinal);

/// Returns the device's PCI bus id, "0000:3B:00.0", because ordinals depend on the environment.
/// Errors   as limits_of_device()
[[nodiscard]] std::string bus_of_device(cuda::driver const& driver, int ordinal);

} // namespace detail

/// Finds the device of a tuning, or only an architecture.
/// @param ordinal       the device; -1: the device of the calling thread's context, else 0
/// @param architecture  architecture to compile for, such as 90; if the device has another one,
///                      code does not run. 0: the device's own, and a missing device is an error
/// @param driver_path   see cuda::open_driver
/// Errors   attune::error: no driver and no architecture, no such device, an unknown architecture
[[nodiscard]] cuda_target find_cuda_target(int ordinal = -1, int architecture = 0,
                                           std::string const& driver_path = {});

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// The clock of a device at one moment.
struct clock_reading {
    std::int64_t mhz = 0;      ///< clock of the multiprocessors
    std::int64_t most_mhz = 0; ///< highest clock of the multiprocessors; 0: unknown
    std::uint64_t reasons = 0; ///< NVML's bits; attune reads the ones below

    static constexpr std::uint64_t idle = 0x1;
    static constexpr std::uint64_t set_by_user = 0x2;
    static constexpr std::uint64_t power_cap = 0x4;
    static constexpr std::uint64_t slowdown = 0x8;
    static constexpr std::uint64_t software_heat = 0x20;
    static constexpr std::uint64_t hardware_heat = 0x40;
    static constexpr std::uint64_t power_brake = 0x80;
};

/// Returns "1410 of 1980 MHz: power limit, heat", or "1980 of 1980 MHz" without reasons.
[[nodiscard]] std::string text_of(clock_reading const& reading);

/// Reads the clock of a device. Without NVML, read() returns empty; this is not an error.
class clock_reader {
public:
    /// @param ordinal  number of the device in the driver
    /// @param library  path of NVML; empty: libnvidia-ml.so.1 on the loader's path
    explicit clock_reader(driver const& of, int ordinal, std::string const& library = {});

    /// Returns the clock; empty: there is no NVML, or it gives no clock.
    /// Cost     10 us to 1 ms
    [[nodiscard]] std::optional<clock_reading> read() const;
    /// Returns why read() is always empty; empty: read() may succeed.
    [[nodiscard]] std::string const& why_none() const noexcept { return why_none_; }

private:
    struct library_functions;

    std::shared_ptr<library_functions const> functions_{};
    void* device_ = nullptr; ///< NVML's handle
    std::string why_none_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::cuda

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/device.ipp>
#endif
