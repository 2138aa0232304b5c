// attune/measure/cuda/device_compare.hpp - compares results on the device with a reference.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_memory.hpp>
#include <attune/measure/cuda/device_session.hpp>
#include <attune/measure/cuda/loaded_variant.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The reference of an array.
struct device_reference {
    memory_place place = memory_place::device;
    std::uintptr_t at = 0; ///< its address
    double rms = 0;        ///< see root_mean_square(); unused when the relative tolerance is 0
};

/// Compares by attune's own kernel, or on the host piece by piece when that kernel is missing or
/// does not work. All functions need the session's context to be current and the device to be idle.
class device_compare {
public:
    /// @param code  device_compare_text, compiled; without an image, the host compares
    /// Errors   attune::error: out of memory
    device_compare(std::shared_ptr<device_session> where, device_code const& code);

    /// Root mean square of the finite elements of an array on the device, computed on the host, so
    /// that it equals that of compare() to the last bit.
    /// @param like  type and size of the array
    /// Errors   `stopped`
    [[nodiscard]] double root_mean_square(buffer const& like, cuda::device_pointer at);

    /// The first mismatch and the number of mismatches.
    /// @param like  type, size and tolerance of the array
    /// Errors   `stopped`
    [[nodiscard]] std::optional<mismatch> compare(buffer const& like, cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);

    /// Empty while the device compares; else the reason why the host does.
    [[nodiscard]] std::string const& why_on_host() const noexcept { return why_on_host_; }

private:
    struct verdict_on_device {
        std::uint64_t first = 0; ///< index; the number of elements when none differs
        std::uint64_t differing = 0;
    };

    [[nodiscard]] verdict_on_device compare_there(buffer const& like, cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);
    [[nodiscard]] std::optional<mismatch> compare_here(buffer const& like, cuda::device_pointer got,
                                                       device_reference const& want);
    [[nodiscard]] std::optional<mismatch>
    compare_fields_here(buffer const& like, cuda::device_pointer got, device_reference const& want);
    void fetch(void* to, cuda::device_pointer from, std::size_t bytes);

    std::shared_ptr<device_session> where_;
    std::unique_ptr<loaded_variant> kernel_{};
    std::optional<device_memory> verdicts_{};
    std::string why_on_host_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_compare.ipp>
#endif
