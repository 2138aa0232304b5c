// attune/cuda/clocks.hpp - the clock of a device, and what lowers it.
// SPDX-License-Identifier: MIT
// Source   NVML API reference, clocks event reasons
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// The clock of a device at one moment.
struct clock_reading {
    std::int64_t mhz = 0;      ///< clock of the multiprocessors
    std::int64_t most_mhz = 0; ///< highest clock of the multiprocessors; 0: unknown
    std::uint64_t reasons = 0; ///< NVML's bits; attune reads those named below

    /// True when heat, power or the supply lowers the clock. An idle device is not throttled.
    [[nodiscard]] constexpr bool is_throttled() const noexcept
    {
        return (reasons & (power_cap | slowdown | software_heat | hardware_heat | power_brake)) !=
               0;
    }

    static constexpr std::uint64_t idle = 0x1;
    static constexpr std::uint64_t set_by_user = 0x2;
    static constexpr std::uint64_t power_cap = 0x4;
    static constexpr std::uint64_t slowdown = 0x8;
    static constexpr std::uint64_t software_heat = 0x20;
    static constexpr std::uint64_t hardware_heat = 0x40;
    static constexpr std::uint64_t power_brake = 0x80;
};

/// "1410 of 1980 MHz: power limit, heat", or "1980 of 1980 MHz" without reasons.
[[nodiscard]] std::string text_of(clock_reading const& reading);

/// Reads the clock of one device. Without NVML it reads nothing; that is no error.
class clock_reader {
public:
    /// @param ordinal  of the device, in the driver's numbering
    /// @param library  path of NVML; empty: libnvidia-ml.so.1 on the loader's path
    explicit clock_reader(driver const& of, int ordinal, std::string const& library = {});

    /// Empty when there is no NVML, or when NVML gives no clock.
    /// Cost     10 us to 1 ms
    [[nodiscard]] std::optional<clock_reading> read() const;
    /// Why read() is always empty; empty when read() may succeed.
    [[nodiscard]] std::string const& why_none() const noexcept { return why_none_; }

private:
    struct library_functions;

    std::shared_ptr<library_functions const> functions_{};
    void* device_ = nullptr; ///< NVML's handle
    std::string why_none_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::cuda

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/clocks.ipp>
#endif
