// attune/measure/cuda/device_compare.hpp - is this result on the device the reference, up to rounding?
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

namespace attune::inline ATTUNE_ABI {

/// What an array ought to hold.
struct device_reference {
    memory_place place = memory_place::device;
    std::uintptr_t at = 0; ///< address there, of as many bytes
    double rms = 0;        ///< see root_mean_square(); not needed where the tolerance is exact
};

/// Compares by a kernel of its own, or brings both to the host piece by piece where that kernel is
/// missing or does not work. All functions need the session's context to be current and the device
/// to be idle.
class device_compare {
public:
    /// @param code  device_compare_text, compiled; without an image the host compares
    /// Errors   attune::error: out of memory
    device_compare(std::shared_ptr<device_session> where, device_code const& code);

    /// Root mean square of the finite elements of an array on the device, exactly as compare() has
    /// it: bit by bit the same for the same bytes, and so by the host, piece by piece.
    /// @param like  its type and size  Errors  `stopped`
    [[nodiscard]] double root_mean_square(buffer const& like, cuda::device_pointer at);

    /// The first element that differs, and how many do. @param like  its type, size and tolerance
    /// Errors   `stopped`
    [[nodiscard]] std::optional<mismatch> compare(buffer const& like,
                                                  cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);

    /// Empty while the device compares; else why the host does.
    [[nodiscard]] std::string const& why_on_host() const noexcept { return why_on_host_; }

private:
    struct verdict_on_device {
        std::uint64_t first = 0; ///< the number of elements: none
        std::uint64_t differing = 0;
    };

    [[nodiscard]] verdict_on_device compare_there(buffer const& like,
                                                  cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);
    [[nodiscard]] std::optional<mismatch>
    compare_here(buffer const& like, cuda::device_pointer got, device_reference const& want);
    [[nodiscard]] std::optional<mismatch>
    compare_fields_here(buffer const& like, cuda::device_pointer got, device_reference const& want);
    void fetch(void* to, cuda::device_pointer from, std::size_t bytes);

    std::shared_ptr<device_session> where_;
    std::unique_ptr<loaded_variant> kernel_{};
    std::optional<device_memory> verdicts_{};
    std::string why_on_host_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_compare.ipp>
#endif
